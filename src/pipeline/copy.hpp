// Copies to host memory that this thread will not read soon: past the caches, which would fetch each line to overwrite it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace lanesort {
inline namespace v1 {
namespace pipeline {

inline void copy_past_caches(std::byte* to, const std::byte* from, std::uint64_t bytes) noexcept {
#if defined(__SSE2__)
  const std::uint64_t head = (64 - reinterpret_cast<std::uintptr_t>(to) % 64) % 64;
  if (bytes >= head + 64) {
    std::memcpy(to, from, head);
    to += head;
    from += head;
    bytes -= head;
    for (; bytes >= 64; bytes -= 64, to += 64, from += 64) {
      __m128i lines[4];
      std::memcpy(lines, from, 64);
      for (int i = 0; i < 4; ++i) _mm_stream_si128(reinterpret_cast<__m128i*>(to) + i, lines[i]);
    }
    _mm_sfence();
  }
#endif
  std::memcpy(to, from, bytes);
}

}  // namespace pipeline
}  // namespace v1
}  // namespace lanesort
