#include "bench/machine.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <thread>
#include <vector>

#include "commit.hpp"

namespace lanesort::bench {

void Buffer::Free::operator()(std::byte* memory) const { std::free(memory); }

Buffer::Buffer(std::uint64_t bytes) : bytes_(bytes) {
  constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20, kLine = 64;
  const std::uint64_t unit = bytes < kHugePage ? kLine : kHugePage;
  if (bytes > PTRDIFF_MAX) throw std::bad_alloc();
  const std::uint64_t rounded = (std::max<std::uint64_t>(bytes, 1) + unit - 1) / unit * unit;
  memory_.reset(static_cast<std::byte*>(std::aligned_alloc(unit, rounded)));
  if (!memory_) throw std::bad_alloc();
  if (unit == kHugePage) madvise(memory_.get(), rounded, MADV_HUGEPAGE);  // advice: refused, it is merely slower
  std::memset(memory_.get(), 0, rounded);
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double measure_copy_bytes_per_s(unsigned threads) {
  constexpr std::size_t kBytes = std::size_t{128} << 20;
  const Buffer src(kBytes), dst(kBytes);
  std::array<double, 7> seconds;
  for (double& time : seconds) {
    const double begin = seconds_now();
    {
      std::vector<std::jthread> others;
      const auto copy_part = [&](unsigned part) {
        const std::size_t from = kBytes / threads * part, to = part + 1 == threads ? kBytes : from + kBytes / threads;
        std::memcpy(dst.data() + from, src.data() + from, to - from);
      };
      for (unsigned part = 1; part < threads; ++part) others.emplace_back(copy_part, part);
      copy_part(0);
    }
    time = seconds_now() - begin;
  }
  std::sort(seconds.begin(), seconds.end());
  return 2.0 * static_cast<double>(kBytes) / seconds[seconds.size() / 2];
}

double load_average() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : 0;
}

std::string compiler_name() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

std::string utc_date() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

std::string build_commit() { return LANESORT_COMMIT; }

}  // namespace lanesort::bench
