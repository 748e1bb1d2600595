#include "cuda/pinned.hpp"

namespace lanesort {
inline namespace v1 {
namespace cuda {

lanesort_status PinnedPool::take(std::uint64_t bytes, void** host) noexcept {
  const std::lock_guard lock(mutex_);
  for (Kept& kept : kept_) {
    if (kept.taken || (kept.host != nullptr && kept.bytes != bytes)) continue;
    lanesort_status status = LANESORT_OK;
    if (kept.host == nullptr)
      status = check(driver()->cuMemAllocHost_v2(&kept.host, bytes), "pinning host memory to copy through");
    if (status != LANESORT_OK) {
      kept.host = nullptr;
      return status;
    }
    kept.bytes = bytes;
    kept.taken = true;
    *host = kept.host;
    return LANESORT_OK;
  }
  return check(driver()->cuMemAllocHost_v2(host, bytes), "pinning host memory to copy through");
}

void PinnedPool::give_back(void* host) noexcept {
  const std::lock_guard lock(mutex_);
  for (Kept& kept : kept_) {
    if (kept.host != host) continue;
    kept.taken = false;
    return;
  }
  driver()->cuMemFreeHost(host);
}

void PinnedPool::empty() noexcept {
  for (Kept& kept : kept_) {
    if (kept.host != nullptr) driver()->cuMemFreeHost(kept.host);
    kept = {};
  }
}

}  // namespace cuda
}  // namespace v1
}  // namespace lanesort
