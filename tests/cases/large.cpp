// What the cases need and Python is too slow for: draws of SplitMix64, and sorts of millions of keys with a proof of
// the result that shares nothing with the library. Values are input indices, so one look at each (index, key) proves
// order, permutation and stability at once.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <vector>

#include "support/oracle.hpp"
#include "support/random.hpp"

namespace lanesort::test {
namespace {

// As in cases.json; what a recipe does not use is 0.
struct Recipe {
  std::uint32_t kind;  // 0 affine, 1 rev_iota, 2 rand_real
  std::uint32_t dtype;
  std::uint64_t count, mul, add, mask, seed;
  double low, high;
};

constexpr const char* kRight = "";

template <class U>
std::vector<U> make(const Recipe& recipe) {
  std::vector<U> keys(recipe.count);
  Random random(recipe.seed);
  for (std::uint64_t i = 0; i < recipe.count; ++i) {
    switch (recipe.kind) {
      case 0: keys[i] = static_cast<U>((recipe.mul * i + recipe.add) & recipe.mask); break;
      case 1: keys[i] = static_cast<U>(recipe.count - 1 - i); break;
      default: {
        const auto real = static_cast<float>(recipe.low + (recipe.high - recipe.low) * (static_cast<double>(random.next() >> 11) * 0x1p-53));
        if constexpr (sizeof(U) == sizeof real) std::memcpy(&keys[i], &real, sizeof real);
      }
    }
  }
  return keys;
}

struct Multiset {
  std::uint64_t sums[2] = {0, 0};
  template <class U>
  explicit Multiset(const std::vector<U>& keys) {
    for (const U key : keys) {
      const std::uint64_t mixed = Random(key).next();
      sums[0] += mixed;
      sums[1] += mixed * mixed | 1;
    }
  }
  bool operator==(const Multiset& other) const { return sums[0] == other.sums[0] && sums[1] == other.sums[1]; }
};

template <class U>
const char* judge_keys(const OrderSpec& order, const std::vector<U>& before, const std::vector<U>& after) {
  for (std::size_t i = 1; i < after.size(); ++i) {
    if (mapped_key(order, after[i]) < mapped_key(order, after[i - 1])) return "the keys are not in order";
  }
  return Multiset(before) == Multiset(after) ? kRight : "the keys are not those that went in";
}

template <class U>
const char* judge_indices(const OrderSpec& order, const std::vector<U>& before, const std::vector<std::uint32_t>& indices) {
  std::vector<bool> seen(before.size());
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] >= before.size()) return "an index is none";
    if (seen[indices[i]]) return "an index stands twice";
    seen[indices[i]] = true;
    const std::uint64_t mapped = mapped_key(order, before[indices[i]]);
    if (i > 0 && mapped < last) return "the keys are not in order";
    if (i > 0 && mapped == last && indices[i] < indices[i - 1]) return "equal keys changed places";
    last = mapped;
  }
  return kRight;
}

template <class U>
const char* run(const Recipe& recipe, lanesort_operation operation, std::uint32_t repeats, std::uint64_t* scratch_bytes) {
  const std::vector<U> keys = make<U>(recipe);
  const OrderSpec order{recipe.dtype, false, LANESORT_FLOAT_NUMERIC, 0, LANESORT_ALL_BITS};
  std::vector<U> sorted;
  std::vector<std::uint32_t> values;
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = recipe.dtype;
  desc.count = recipe.count;
  std::vector<U> first_sorted;
  std::vector<std::uint32_t> first_values;
  for (std::uint32_t repeat = 0; repeat < repeats; ++repeat) {
    lanesort_status status = LANESORT_OK;
    if (operation == LANESORT_OP_ARGSORT) {
      values.assign(recipe.count, 0);
      desc.keys_src = keys.data();
    } else {
      sorted = keys;
      desc.keys_src = desc.keys_dst = sorted.data();
    }
    if (operation != LANESORT_OP_SORT) {
      desc.value_bytes = 4;
      values.resize(recipe.count);
      desc.values_dst = values.data();
    }
    if (operation == LANESORT_OP_SORT_PAIRS) {
      std::iota(values.begin(), values.end(), 0u);
      desc.values_src = values.data();
    }
    if (scratch_bytes != nullptr) status = lanesort_scratch_bytes(operation, &desc, nullptr, scratch_bytes);
    if (status == LANESORT_OK && operation == LANESORT_OP_SORT) status = lanesort_sort(&desc);
    if (status == LANESORT_OK && operation == LANESORT_OP_SORT_PAIRS) status = lanesort_sort_pairs(&desc);
    if (status == LANESORT_OK && operation == LANESORT_OP_ARGSORT) status = lanesort_argsort(&desc);
    if (status != LANESORT_OK) return lanesort_last_error();
    if (repeat > 0 && (sorted != first_sorted || values != first_values)) return "two runs differ";
    if (repeat > 0) continue;
    if (const char* flaw = operation == LANESORT_OP_SORT ? judge_keys(order, keys, sorted) : judge_indices(order, keys, values); *flaw != 0) return flaw;
    if (operation == LANESORT_OP_SORT_PAIRS) {
      for (std::uint64_t i = 0; i < recipe.count; ++i) {
        if (sorted[i] != keys[values[i]]) return "a value left its key";
      }
    }
    if (repeats > 1) first_sorted = sorted, first_values = values;
  }
  return kRight;
}

double seconds_of(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace
}  // namespace lanesort::test

using namespace lanesort::test;

#pragma GCC visibility push(default)
extern "C" {

void cases_draw(std::uint64_t seed, std::uint64_t count, std::uint64_t* out) {
  Random random(seed);
  for (std::uint64_t i = 0; i < count; ++i) out[i] = random.next();
}

// "" where all is right, else what is not. scratch_bytes may be null.
const char* cases_run(const Recipe* recipe, std::uint32_t operation, std::uint32_t repeats, std::uint64_t* scratch_bytes) {
  switch (lanesort_dtype_bytes(recipe->dtype)) {
    case 4: return run<std::uint32_t>(*recipe, operation, repeats, scratch_bytes);
    case 8: return run<std::uint64_t>(*recipe, operation, repeats, scratch_bytes);
    default: return "this width has no large case";
  }
}

// The raw keys of a recipe of 4-byte keys, as a file.
int cases_write(const Recipe* recipe, const char* path) {
  const std::vector<std::uint32_t> keys = make<std::uint32_t>(*recipe);
  std::FILE* const file = std::fopen(path, "wb");
  if (file == nullptr) return 0;
  const bool whole = std::fwrite(keys.data(), sizeof keys[0], keys.size(), file) == keys.size();
  return std::fclose(file) == 0 && whole;
}

// How many times as fast as std::sort a sort of the recipe's floats is.
double cases_ratio_to_std_sort(const Recipe* recipe, std::uint32_t threads) {
  const std::vector<std::uint32_t> bits = make<std::uint32_t>(*recipe);
  std::vector<float> theirs(bits.size());
  std::memcpy(theirs.data(), bits.data(), bits.size() * sizeof(float));
  std::vector<float> ours = theirs;
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = LANESORT_F32;
  desc.count = ours.size();
  desc.threads = threads;
  desc.keys_src = desc.keys_dst = ours.data();
  const double our_seconds = seconds_of([&] { lanesort_sort(&desc); });
  const double their_seconds = seconds_of([&] { std::sort(theirs.begin(), theirs.end()); });
  return ours == theirs ? their_seconds / our_seconds : 0;
}

// How many times as fast as std::stable_sort of indices an argsort of these keys is, the best of five each.
double cases_ratio_to_stable_sort(const std::int64_t* keys, std::uint64_t count) {
  std::vector<std::uint32_t> ours(count), theirs(count);
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = LANESORT_I64;
  desc.count = count;
  desc.keys_src = keys;
  desc.value_bytes = 4;
  desc.values_dst = ours.data();
  double our_best = 1e9, their_best = 1e9;
  for (int i = 0; i < 5; ++i) {
    our_best = std::min(our_best, seconds_of([&] { lanesort_argsort(&desc); }));
    std::iota(theirs.begin(), theirs.end(), 0u);
    their_best = std::min(their_best, seconds_of([&] {
                            std::stable_sort(theirs.begin(), theirs.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
                          }));
  }
  return ours == theirs ? their_best / our_best : 0;
}
}
#pragma GCC visibility pop
