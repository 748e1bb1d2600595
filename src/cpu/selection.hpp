// The first k keys of a sort, found without sorting the rest. Invariant: what is kept stands in the order of the source,
// ties to the lower index, so that a stable sort of it is the prefix of a stable sort of all.
#pragma once
#include <cstdint>

#include "cpu/engine.hpp"
#include "cpu/scratch.hpp"

namespace lanesort {
inline namespace v1 {
namespace cpu {

struct Selection {
  KeySpec key;
  const void* keys_src = nullptr;
  std::uint64_t count = 0;
  std::uint64_t k = 0;            // 1 to count - 1
  std::uint32_t index_bytes = 0;  // 0, 4 or 8
  void* keys = nullptr;           // where the k keys go,
  void* indices = nullptr;        // and their indices
  void* scratch = nullptr;        // layout_selection() says how much
  std::uint32_t parts = 1;
};

inline constexpr std::uint64_t kFilterBlock = 128;        // keys that are compared at once
inline constexpr std::uint64_t kFewestCandidates = 2048;  // fewer would be thinned out too often

struct SelectionLayout {
  std::uint32_t filters = 0;   // parts that filter; 0: by counting
  std::uint64_t capacity = 0;  // candidates of each
  std::uint64_t counters = 0;  // parts * kCells 64-bit counters, at an 8-byte boundary of the scratch's address
  std::uint64_t indices = 0;   // filters * capacity, after as many keys
  std::uint64_t end = 0;
};

// A k that is small beside each part's keys is found by filters that keep candidates, any other by counting digits. The
// bytes grow with the parts, so that what suffices for the most threads suffices for fewer.
// Always inlined, because units of several instruction sets include it (see key_order.hpp).
[[gnu::always_inline]] inline SelectionLayout layout_selection(std::uint64_t count, std::uint64_t k, std::uint32_t key_bytes,
                                                               std::uint32_t index_bytes, std::uint32_t parts) noexcept {
  SelectionLayout layout;
  const std::uint64_t most = k < count / 32 ? count / (32 * k > 4 * kFewestCandidates ? 32 * k : 4 * kFewestCandidates) : 0;
  const std::uint64_t filters = most < parts ? most : parts;
  layout.capacity = (4 * k > kFewestCandidates ? 4 * k : kFewestCandidates) + kFilterBlock;
  layout.filters = 2 * filters < parts ? 0 : static_cast<std::uint32_t>(filters);  // by counting, all parts take part
  layout.indices = filters * layout.capacity * key_bytes;
  layout.counters = layout.indices + filters * layout.capacity * index_bytes;
  layout.end = layout.counters + (parts > 1 ? parts * kCells * sizeof(std::uint64_t) + sizeof(std::uint64_t) : 0);
  return layout;
}

}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
