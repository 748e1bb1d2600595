// Stretches of a CUDA call's scratch, one after the other, each at a multiple of 256.
#pragma once
#include <cstdint>

namespace lanesort {
inline namespace v1 {
namespace plan {

// Counts are checked by the api room, so nothing overflows.
class Layout {
 public:
  std::uint64_t take(std::uint64_t bytes) {
    const std::uint64_t at = end_;
    end_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return at;
  }
  std::uint64_t bytes() const { return end_ + kAlignment - 1; }

 private:
  static constexpr std::uint64_t kAlignment = 256;
  std::uint64_t end_ = 0;
};

}  // namespace plan
}  // namespace v1
}  // namespace lanesort
