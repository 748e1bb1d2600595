// Segments of an array: stretches that are sorted each by itself. Invariant: they rise and do not overlap (the api room
// has checked it), so that threads may work on different ones at once.
#pragma once
#include <cstdint>

namespace lanesort {
inline namespace v1 {
namespace cpu {

// Always inlined, because units of several instruction sets include it (see key_order.hpp).
struct Segments {
  const std::uint64_t* begins = nullptr;  // nullptr: there are none
  const std::uint64_t* ends = nullptr;
  std::uint64_t count = 0;

  [[gnu::always_inline]] bool present() const noexcept { return begins != nullptr; }
  // Items from the first begin to the last end.
  [[gnu::always_inline]] std::uint64_t span() const noexcept { return count == 0 ? 0 : ends[count - 1] - begins[0]; }
};

// Segments [first_of_batch(i), first_of_batch(i + 1)) are a batch: about one in batch_count of all work, counted in
// items and a few more for each segment.
std::uint64_t first_of_batch(const Segments& segments, std::uint32_t batch, std::uint32_t batch_count) noexcept;

}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
