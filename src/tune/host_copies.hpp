// Copies between host memory and a device, and how host arrays are cut that the device does not hold.
#pragma once
#include <cstdint>

namespace lanesort {
inline namespace v1 {
namespace tune {

// Measured on an H200 machine of 16 cores: 8 threads copy 33 GB/s, 16 copy 50, and a fork and join of 16 takes 37 us; the link
// takes 50 GB/s each way; the driver alone carries pageable memory up at 7 GB/s and down at 12, where starting threads takes 1 ms.
struct HostCopies {
  std::uint64_t piece_bytes = std::uint64_t{8} << 20;   // of pinned memory; a multiple of 64
  std::uint64_t direct_bytes = std::uint64_t{8} << 20;  // up to here the driver's own way
  std::uint64_t shared_bytes = std::uint64_t{1} << 18;  // up to here one thread copies
  std::uint32_t threads = 16;                           // each way, or as many as the host has

  // In chunks. A trip takes two chunks' time on the link longer than its bytes, and spare memory is three chunks, so chunks
  // are many; but each range is brought together from as many runs, and short copies do not fill the link.
  std::uint64_t most_chunks = 64;                       // unless the device holds less
  std::uint64_t chunk_bytes = std::uint64_t{64} << 20;  // or fewer chunks, of so much
  std::uint64_t blocks = 256;                           // of a chunk, which are moved whole
};

// Loads at least, where host and device share them: the one that is slower may be waited for as long as it takes for one.
inline constexpr std::uint64_t kSharedLoads = 32;

}  // namespace tune
}  // namespace v1
}  // namespace lanesort
