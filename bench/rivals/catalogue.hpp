// The rivals that this build has: each file adds its own.
#pragma once
#include <vector>
#include <version>

#include "bench/rivals/rival.hpp"

#define LANESORT_TEXT_OF(x) LANESORT_TEXT(x)
#define LANESORT_TEXT(x) #x

namespace lanesort::bench {

#if defined(__GLIBCXX__)
inline constexpr char kStandardLibrary[] = "libstdc++ " LANESORT_TEXT_OF(__GLIBCXX__);
#elif defined(_LIBCPP_VERSION)
inline constexpr char kStandardLibrary[] = "libc++ " LANESORT_TEXT_OF(_LIBCPP_VERSION);
#else
inline constexpr char kStandardLibrary[] = "unknown";
#endif

void add_std(std::vector<RivalEntry>& entries);
void add_tbb(std::vector<RivalEntry>& entries);
void add_vqsort(std::vector<RivalEntry>& entries);
void add_boost(std::vector<RivalEntry>& entries);

}  // namespace lanesort::bench
