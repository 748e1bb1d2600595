// Host memory for as long as it lives: pages of its own, huge where the kernel gives them, since the first touch of small
// ones takes longer than the link.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace lanesort {
inline namespace v1 {
namespace pipeline {

class Pages {
 public:
  Pages() = default;
  ~Pages() {
    if (data_ != nullptr) munmap(data_, bytes_);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  // Once. Zero bytes are had.
  bool allocate(std::uint64_t bytes) noexcept {
    if (bytes == 0) return true;
    void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) return false;
    madvise(data, bytes, MADV_HUGEPAGE);  // a hint: refusal changes nothing
    data_ = data;
    bytes_ = bytes;
    return true;
  }
  std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  void* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace pipeline
}  // namespace v1
}  // namespace lanesort
