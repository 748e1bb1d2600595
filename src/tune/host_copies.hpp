// Copies between host memory that is not pinned and a device. Not measured on a device yet: pieces are as large as hides the
// starting of a copy (some 10 us, which at 50 GB/s are 0.5 MB) and as small as is pinned within milliseconds.
#pragma once
#include <cstdint>

namespace lanesort {
inline namespace v1 {
namespace tune {

struct HostCopies {
  std::uint64_t piece_bytes = std::uint64_t{8} << 20;   // of pinned memory; a multiple of 64
  std::uint64_t direct_bytes = std::uint64_t{1} << 20;  // up to here the driver's own way
  std::uint64_t shared_bytes = std::uint64_t{1} << 18;  // up to here one thread copies
  std::uint32_t threads = 6;                            // each way; a core copies some 10 GB/s
};

// Loads at least, where host and device share them: the one that is slower may be waited for as long as it takes for one.
inline constexpr std::uint64_t kSharedLoads = 32;

}  // namespace tune
}  // namespace v1
}  // namespace lanesort
