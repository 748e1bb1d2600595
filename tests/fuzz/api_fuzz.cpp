// Any bytes as a request to the C ABI: the first ones are the descriptor's fields, sound or not, the rest are the keys.
// What is refused must leave the buffers alone; what is taken must give the oracle's bytes.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "support/call.hpp"
#include "support/oracle.hpp"

namespace {
using namespace lanesort::test;

void demand(bool good, const char* words) {
  if (good) return;
  std::fprintf(stderr, "%s; last error: %s\n", words, lanesort_last_error());
  std::abort();
}

class Reader {
 public:
  Reader(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  std::uint8_t byte() { return size_ == 0 ? std::uint8_t{0} : (--size_, *data_++); }
  std::vector<unsigned char> rest() const { return {data_, data_ + size_}; }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

// Mostly a number below the limit, now and then one past it.
std::uint32_t small_number(std::uint8_t byte, std::uint32_t limit) { return byte < 250 ? byte % limit : byte; }

std::vector<unsigned char> index_bytes(const std::vector<std::uint64_t>& order, std::uint32_t bytes) {
  std::vector<unsigned char> out(order.size() * bytes);
  for (std::size_t i = 0; i < order.size(); ++i) std::memcpy(out.data() + i * bytes, &order[i], bytes);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Reader reader(data, size);
  const lanesort_operation operation = reader.byte() % 4;
  const bool top_k = operation == LANESORT_OP_TOP_K;
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = 1 + small_number(reader.byte(), 13);
  desc.order = small_number(reader.byte(), 2);
  desc.float_order = small_number(reader.byte(), 3);
  const std::uint8_t begin = reader.byte(), end = reader.byte();
  if (begin < 128) desc.bit_begin = begin;
  if (end < 128) desc.bit_end = end;
  const std::uint8_t width = reader.byte(), arrangement = reader.byte();
  if (operation == LANESORT_OP_SORT_PAIRS) desc.value_bytes = width % 33;
  if (operation == LANESORT_OP_ARGSORT) desc.value_bytes = width < 100 ? 4 : width < 200 ? 8 : width;
  desc.threads = reader.byte() % 4;
  const bool brings_values = (arrangement & 2) != 0;
  if (top_k) desc.k = reader.byte() * std::uint64_t{arrangement};
  if (top_k) desc.value_bytes = brings_values ? width % 33 : width < 100 ? 4 : width < 200 ? 8 : 0;

  const std::uint32_t key_bytes = lanesort_dtype_bytes(desc.dtype) == 0 ? 1 : lanesort_dtype_bytes(desc.dtype);
  std::vector<unsigned char> keys = reader.rest();
  keys.resize(keys.size() / key_bytes * key_bytes);
  desc.count = keys.size() / key_bytes;
  std::vector<unsigned char> values(desc.count * desc.value_bytes);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<unsigned char>(i * 37 ^ i >> 8);
  const bool argsort = operation == LANESORT_OP_ARGSORT, keys_in_place = (arrangement & 1) != 0 && !argsort && !top_k;
  const bool has_values = operation == LANESORT_OP_SORT_PAIRS || ((argsort || top_k) && brings_values && desc.value_bytes != 0);
  const bool values_in_place = has_values && !top_k && (arrangement & 4) != 0;
  const bool takes_keys = !argsort && !(top_k && (arrangement & 1) != 0 && desc.value_bytes != 0);
  const std::uint64_t kept = top_k && desc.k < desc.count ? desc.k : desc.count;

  std::vector<unsigned char> keys_src = keys, keys_dst(kept * key_bytes, 0xCD), values_src = values, values_dst(kept * desc.value_bytes, 0xCD);
  desc.keys_src = keys_src.data();
  if (takes_keys) desc.keys_dst = keys_in_place ? keys_src.data() : keys_dst.data();
  if (has_values) desc.values_src = values_src.data();
  if (operation != LANESORT_OP_SORT) desc.values_dst = values_in_place ? values_src.data() : values_dst.data();
  std::vector<unsigned char> scratch;
  lanesort_capabilities machine = LANESORT_CAPABILITIES_INIT;
  demand(lanesort_query_capabilities(LANESORT_BACKEND_CPU, &machine) == LANESORT_OK, "the CPU is not there");
  std::uint64_t exact = 0;
  const bool sound = lanesort_scratch_bytes(operation, &desc, &machine, &exact) == LANESORT_OK;
  if ((arrangement & 8) != 0 && sound) {
    scratch.assign(exact, 0xCD);
    desc.scratch = scratch.data();
    desc.scratch_bytes = exact;
  }

  const lanesort_status status = call(operation, desc);
  demand((status == LANESORT_OK) == sound, "the question of scratch and the call disagree on whether the request is sound");
  if (!sound) {
    demand(keys_src == keys && values_src == values, "a refused call wrote to a source");
    demand(*lanesort_last_error() != 0, "a refusal without words");
    return 0;
  }
  const OrderSpec spec{desc.dtype, desc.order == LANESORT_DESCENDING, desc.float_order, desc.bit_begin, desc.bit_end};
  auto order = sorted_indices(spec, keys);
  order.resize(kept);
  const auto first = [&](const std::vector<unsigned char>& items, std::uint32_t bytes) {
    auto all = gathered(items, bytes, order);
    all.resize(kept * bytes);
    return all;
  };
  if (takes_keys) demand((keys_in_place ? keys_src : keys_dst) == first(keys, key_bytes), "wrong keys");
  if (desc.value_bytes != 0) {
    const auto want = has_values ? first(values, desc.value_bytes) : index_bytes(order, desc.value_bytes);
    demand((values_in_place ? values_src : values_dst) == want, "wrong values");
  }
  if (!keys_in_place) demand(keys_src == keys, "the source was written");
  return 0;
}
