// Pinned memory of a handle. Pinning 16 MiB takes longer than sorting them, so what a call has used waits for the next one.
#pragma once
#include <cstdint>
#include <mutex>

#include "cuda/driver.hpp"

namespace lanesort {
inline namespace v1 {
namespace cuda {

class PinnedPool {
 public:
  // The context is current to the calling thread.
  lanesort_status take(std::uint64_t bytes, void** host) noexcept;
  void give_back(void* host) noexcept;
  void empty() noexcept;

 private:
  struct Kept {
    void* host = nullptr;
    std::uint64_t bytes = 0;
    bool taken = false;
  };
  std::mutex mutex_;  // guards what follows
  Kept kept_[2];      // of each way one; calls at the same time pin their own
};

}  // namespace cuda
}  // namespace v1
}  // namespace lanesort
