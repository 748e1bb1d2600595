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
#include <map>
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

namespace {

void copy_in_parts(std::span<std::byte> dst, std::span<const std::byte> src, unsigned threads) {
  const std::size_t part_bytes = src.size() / threads;
  const auto copy_part = [=](unsigned part) {
    const std::size_t from = part_bytes * part, to = part + 1 == threads ? src.size() : from + part_bytes;
    std::memcpy(dst.data() + from, src.data() + from, to - from);
  };
  std::vector<std::jthread> others;
  for (unsigned part = 1; part < threads; ++part) others.emplace_back(copy_part, part);
  copy_part(0);
}

double median_copy_seconds(std::uint64_t bytes, unsigned threads) {
  const Buffer src(bytes), dst(bytes);
  std::array<double, 7> seconds;
  for (double& time : seconds) {
    const double begin = seconds_now();
    copy_in_parts(dst.span(), src.span(), threads);
    time = seconds_now() - begin;
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

}  // namespace

double copy_bytes_per_s(unsigned threads) {
  constexpr std::uint64_t kBytes = std::uint64_t{128} << 20;
  static std::map<unsigned, double> measured;
  double& speed = measured[threads];
  if (speed == 0) speed = 2.0 * static_cast<double>(kBytes) / median_copy_seconds(kBytes, threads);
  return speed;
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
