// merge.hpp on records, in the shape of a rival: what a comparator sort of ours is to the harness.
#include <lanesort/merge.hpp>

#include <vector>

#include "bench/contenders.hpp"
#include "bench/rivals/shapes.hpp"

namespace lanesort::bench {
namespace {

// Scratch stays from call to call, as that of the other sorts of ours does.
struct MergeSort {
  static constexpr Scope kScope = Scope::core_dtypes;
  static constexpr bool kStable = true;
  template <class T>
  static void sort(T* first, T* last, auto before, unsigned threads) {
    static std::vector<std::byte> scratch;
    const auto count = static_cast<std::size_t>(last - first);
    if (scratch.size() < merge_sort_scratch_bytes<T>(count)) scratch.resize(merge_sort_scratch_bytes<T>(count));
    merge_sort(std::span<T>(first, count), before, {}, {.threads = threads, .scratch = scratch});
  }
};

}  // namespace

RivalEntry merge_sort_entry() {
  return rival<OnStructs<MergeSort>, MergeSort>("lanesort", lanesort_version_string(), true);
}

}  // namespace lanesort::bench
