// How much a test does: under a sanitizer, which slows it tenfold and more, a share of what it does elsewhere. There it
// looks at memory or at threads, and of those fewer trials show as much.
#pragma once
#include <algorithm>
#include <cstdint>

namespace lanesort::test {

#if defined(__SANITIZE_THREAD__)
inline constexpr bool kThreadsAlone = true;  // as LANESORT_THREADS_ALONE in tests/CMakeLists.txt
#else
inline constexpr bool kThreadsAlone = false;
#endif
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr std::uint64_t kFewerBy = 4;
#else
inline constexpr std::uint64_t kFewerBy = 1;
#endif

// The share of so many trials; never none.
constexpr std::uint64_t share_of(std::uint64_t full_count) { return std::max<std::uint64_t>(1, full_count / kFewerBy); }

}  // namespace lanesort::test
