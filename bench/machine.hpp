// What the machine is, how fast it copies, and whether it was busy with other work.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace lanesort::bench {

// Memory on huge pages where the system grants them, every page present, so that no first touch falls into a time.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::uint64_t bytes);  // throws std::bad_alloc
  std::byte* data() const { return memory_.get(); }
  std::span<std::byte> span() const { return {memory_.get(), static_cast<std::size_t>(bytes_)}; }

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::uint64_t bytes_ = 0;
};

double seconds_now();  // of a steady clock

// memcpy of a buffer larger than any cache, divided among the threads; bytes read and bytes written both counted.
// Measured once a process for each number of threads. Not for several threads at once.
double copy_bytes_per_s(unsigned threads);

double load_average();  // of the last minute; 0 where the system does not say

std::string compiler_name();
std::string utc_date();      // 2026-01-31T12:00:00Z
std::string build_commit();  // "unknown" outside a repository

}  // namespace lanesort::bench
