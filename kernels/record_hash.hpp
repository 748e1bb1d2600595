// The 128-bit hash of a record, a key with its value, whose sums over all records tell multisets apart: any order, but a
// record that changes, goes or comes moves both words. Host and device sum the same words, so their verdicts agree.
#pragma once
#include "kernels/key_order.hpp"

namespace lanesort {
inline namespace v1 {

// The finaliser of MurmurHash3 (Appleby): every input bit changes every output bit with probability near one half.
LANESORT_HOST_DEVICE constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdu;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53u;
  return x ^ (x >> 33);
}

// Two hashes with nothing in common but the record.
struct RecordHash {
  std::uint64_t first = 0, second = 0;

  LANESORT_HOST_DEVICE constexpr void add(const RecordHash& other) {
    first += other.first;
    second += other.second;
  }
};

// word_at(i): the value's i-th eight bytes as a little-endian number, those past its end as zero.
template <class WordAt>
LANESORT_HOST_DEVICE constexpr RecordHash hash_record(std::uint64_t key, std::uint32_t value_bytes, WordAt&& word_at) {
  RecordHash hash{mix_bits(key ^ 0x9e3779b97f4a7c15u), mix_bits(key * 0xd6e8feb86659fd93u + 0x2545f4914f6cdd1du)};
  for (std::uint32_t i = 0; i * 8 < value_bytes; ++i) {
    const std::uint64_t word = word_at(i);
    hash.first = mix_bits(hash.first ^ word);
    hash.second = mix_bits(hash.second + word * 0xa0761d6478bd642fu);
  }
  return hash;
}

}  // namespace v1
}  // namespace lanesort
