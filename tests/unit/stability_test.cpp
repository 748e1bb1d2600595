// Keys-only sorts of keys that compare equal and differ in bytes: zeros of both signs, NaNs with payloads, bools of
// many non-zero bytes, bit ranges that leave bits out. Such keys are not interchangeable, so every branch of the engine
// (tiny, cached, partitioned, counted, few varying bits) must keep their order, which here shows in the bytes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <string>

#include "support/effort.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

namespace lanesort::test {
namespace {

// The oracle's order, with each key's field computed once. `before()` and this agree; stable_sort does the rest.
std::vector<unsigned char> sorted_bytes(const OrderSpec& spec, const std::vector<unsigned char>& keys) {
  const std::uint32_t bytes = lanesort_dtype_bytes(spec.dtype);
  const unsigned end = spec.bit_end == LANESORT_ALL_BITS ? 8 * bytes : spec.bit_end;
  std::uint64_t mask = 0;
  for (unsigned bit = spec.bit_begin; bit < end; ++bit) mask |= std::uint64_t{1} << bit;
  struct Item {
    std::uint64_t field, index;
  };
  std::vector<Item> items(keys.size() / bytes);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = {mapped_key(spec, raw_at(keys, bytes, i)) & mask, i};
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.field < b.field; });
  std::vector<unsigned char> out(keys.size());
  for (std::size_t i = 0; i < items.size(); ++i) std::memcpy(out.data() + i * bytes, keys.data() + items[i].index * bytes, bytes);
  return out;
}

using Draw = std::function<std::uint64_t(Random&)>;

struct Mix {
  const char* name;
  OrderSpec order;
  Draw draw;
};

std::uint64_t infinity_of(lanesort_dtype dtype) {
  switch (dtype) {
    case LANESORT_F16: return 0x7c00;
    case LANESORT_BF16: return 0x7f80;
    case LANESORT_F32: return 0x7f800000;
    default: return 0x7ff0000000000000u;
  }
}

std::vector<Mix> mixes() {
  std::vector<Mix> list;
  for (const lanesort_dtype dtype : {LANESORT_F16, LANESORT_BF16, LANESORT_F32, LANESORT_F64}) {
    const unsigned bits = 8 * lanesort_dtype_bytes(dtype);
    const std::uint64_t sign = std::uint64_t{1} << (bits - 1), infinity = infinity_of(dtype), all = sign | (sign - 1);
    const Draw zeros = [=](Random& r) { return r.chance(2) ? std::uint64_t{0} : sign; };
    const Draw few_zeros = [=](Random& r) { return r.chance(3) ? zeros(r) : r.next() & all; };
    const Draw one_negative_zero = [=](Random& r) { return r.chance(5000) ? sign : (r.next() & all & ~infinity) | (infinity >> 1 & infinity); };
    const Draw payloads = [=](Random& r) { return r.chance(2) ? infinity | 1 | (r.next() & (all ^ infinity)) : r.next() & all; };
    for (const bool descending : {false, true}) {
      for (const lanesort_float_order floats : {LANESORT_FLOAT_NUMERIC, LANESORT_FLOAT_NAN_FIRST, LANESORT_FLOAT_BITS}) {
        const OrderSpec order{dtype, descending, floats, 0, LANESORT_ALL_BITS};
        list.push_back({"nothing but zeros", order, zeros});
        list.push_back({"zeros among numbers", order, few_zeros});
        list.push_back({"NaN payloads", order, payloads});
      }
      list.push_back({"a rare negative zero", {dtype, descending, LANESORT_FLOAT_NUMERIC, 0, LANESORT_ALL_BITS}, one_negative_zero});
      list.push_back({"the upper half of the bits", {dtype, descending, LANESORT_FLOAT_BITS, bits / 2, bits}, [=](Random& r) { return r.next() & all; }});
    }
  }
  for (const bool descending : {false, true}) {
    list.push_back({"bools of any byte", {LANESORT_BOOL, descending, 0, 0, LANESORT_ALL_BITS}, [](Random& r) { return r.chance(2) ? 0 : r.next() & 255; }});
    list.push_back({"true bools of any byte", {LANESORT_BOOL, descending, 0, 0, LANESORT_ALL_BITS}, [](Random& r) { return 1 + r.below(255); }});
    list.push_back({"bools, one bit", {LANESORT_BOOL, descending, 0, 0, 1}, [](Random& r) { return r.next() & 255; }});
  }
  for (const lanesort_dtype dtype : {LANESORT_U8, LANESORT_I8, LANESORT_U16, LANESORT_I16, LANESORT_U32, LANESORT_I32, LANESORT_U64, LANESORT_I64}) {
    const unsigned bits = 8 * lanesort_dtype_bytes(dtype);
    const std::uint64_t all = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    const Draw any = [=](Random& r) { return r.next() & all; };
    for (const bool descending : {false, true}) {
      list.push_back({"the lower half of the bits", {dtype, descending, 0, 0, bits / 2}, any});
      list.push_back({"the upper half of the bits", {dtype, descending, 0, bits / 2, LANESORT_ALL_BITS}, any});
      list.push_back({"all but the lowest bit", {dtype, descending, 0, 1, bits}, any});
      list.push_back({"all but the highest bit", {dtype, descending, 0, 0, bits - 1}, any});
      list.push_back({"one bit", {dtype, descending, 0, bits / 2, bits / 2 + 1}, any});
      list.push_back({"no bit", {dtype, descending, 0, bits / 2, bits / 2}, any});
      list.push_back({"whole keys of few varying bits", {dtype, descending, 0, 0, LANESORT_ALL_BITS}, [=](Random& r) { return (0x55aa55aa55aa55aau & all) ^ (r.below(8) << (bits / 2)); }});
    }
  }
  return list;
}

void check(const Mix& mix, std::uint64_t count, std::uint32_t threads, bool in_place, Random& random) {
  const std::uint32_t bytes = lanesort_dtype_bytes(mix.order.dtype);
  std::vector<unsigned char> keys(count * bytes);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t key = mix.draw(random);
    std::memcpy(keys.data() + i * bytes, &key, bytes);
  }
  const auto want = sorted_bytes(mix.order, keys);
  std::vector<unsigned char> out = in_place ? keys : std::vector<unsigned char>(keys.size());
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = mix.order.dtype;
  desc.order = mix.order.descending ? LANESORT_DESCENDING : LANESORT_ASCENDING;
  desc.float_order = mix.order.float_order;
  desc.bit_begin = mix.order.bit_begin;
  desc.bit_end = mix.order.bit_end;
  desc.threads = threads;
  desc.count = count;
  desc.keys_src = in_place ? out.data() : keys.data();
  desc.keys_dst = out.data();
  ASSERT_EQ(lanesort_sort(&desc), LANESORT_OK) << lanesort_last_error();
  if (out == want) return;
  std::size_t at = 0;
  while (out[at] == want[at]) ++at;
  FAIL() << mix.name << ", " << lanesort_dtype_name(mix.order.dtype) << (mix.order.descending ? " desc" : " asc") << ", floats " << mix.order.float_order
         << ", bits " << mix.order.bit_begin << ":" << mix.order.bit_end << ", count " << count << ", threads " << threads << (in_place ? ", in place" : ", src to dst")
         << ": first wrong at item " << at / bytes << ", want " << std::hex << raw_at(want, bytes, at / bytes) << ", got " << raw_at(out, bytes, at / bytes);
}

class EqualKeys : public testing::Test {
 protected:
  Random random{run_seed()};
  void SetUp() override { std::printf("seed %llu\n", static_cast<unsigned long long>(run_seed())); }
  // Beginning anywhere.
  std::vector<Mix> every_nth(const std::vector<Mix>& all, std::uint64_t n) {
    std::vector<Mix> chosen;
    for (std::size_t i = random.below(n); i < all.size(); i += n) chosen.push_back(all[i]);
    return chosen;
  }
};

TEST_F(EqualKeys, KeepTheirOrderInSmallSorts) {
  for (const Mix& mix : every_nth(mixes(), kFewerBy)) {
    for (const std::uint64_t count : {2u, 3u, 16u, 31u, 32u, 33u, 34u, 100u, 255u, 256u, 257u, 1000u, 1023u, 1024u, 1025u, 4097u}) {
      for (const bool in_place : {false, true}) {
        check(mix, count, 1, in_place, random);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_F(EqualKeys, KeepTheirOrderPastTheCacheAndOverThreads) {
  for (const Mix& mix : every_nth(mixes(), kFewerBy)) {
    check(mix, 50000 + random.below(50000), 1, random.chance(2), random);
    if (HasFatalFailure()) return;
    check(mix, 140000 + random.below(100000), 2 + static_cast<std::uint32_t>(random.below(3)), random.chance(2), random);
    if (HasFatalFailure()) return;
  }
}

TEST_F(EqualKeys, KeepTheirOrderInAMillion) {
  unsigned turn = 0;
  for (const Mix& mix : every_nth(mixes(), 7 * kFewerBy)) {
    check(mix, 1000000, turn % 2 == 0 ? 1 : 2, turn % 4 < 2, random);
    if (HasFatalFailure()) return;
    ++turn;
  }
}

}  // namespace
}  // namespace lanesort::test
