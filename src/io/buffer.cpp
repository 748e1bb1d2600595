#include "io/buffer.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <utility>

#include "io/failure.hpp"

namespace lanesort::io {
namespace {
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;

std::uint64_t round_up(std::uint64_t bytes, std::uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

// Large mappings end on a huge page, so that the last of them is one too.
std::uint64_t mapping_bytes(std::uint64_t bytes) { return round_up(bytes, bytes >= 8 * kHugePage ? kHugePage : kPage); }

[[noreturn]] void refuse(std::uint64_t bytes) {
  throw Failure("memory for " + bytes_in_words(bytes) +
                " could not be had; free some, raise the limit (ulimit -v), or sort less at once");
}

void advise(std::byte* data, std::uint64_t bytes) {
  if (bytes >= kHugePage)
    madvise(data, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);  // a hint: refusal changes nothing
}
}  // namespace

Buffer::Buffer(std::uint64_t size_bytes) { resize(size_bytes); }

Buffer::Buffer(Buffer&& other) noexcept { *this = std::move(other); }

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_bytes_, other.size_bytes_);
  std::swap(mapped_bytes_, other.mapped_bytes_);
  return *this;
}

Buffer::~Buffer() {
  if (data_ != nullptr) munmap(data_, static_cast<std::size_t>(mapped_bytes_));
}

void Buffer::resize(std::uint64_t size_bytes) {
  if (size_bytes > PTRDIFF_MAX - kHugePage) refuse(size_bytes);
  const std::uint64_t wanted = mapping_bytes(size_bytes);
  if (wanted != mapped_bytes_ && wanted != 0) {
    void* moved = data_ == nullptr ? mmap(nullptr, static_cast<std::size_t>(wanted), PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                   : mremap(data_, static_cast<std::size_t>(mapped_bytes_),
                                            static_cast<std::size_t>(wanted), MREMAP_MAYMOVE);
    if (moved == MAP_FAILED) refuse(size_bytes);
    data_ = static_cast<std::byte*>(moved);
    mapped_bytes_ = wanted;
    advise(data_, wanted);
  }
  size_bytes_ = size_bytes;
}

}  // namespace lanesort::io
