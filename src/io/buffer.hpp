// Memory for one file's data: anonymous pages, in huge pages where the kernel gives them, because the first touch
// of fresh 4 KiB pages costs more than a pass of the sort. Invariant: page aligned, and pages are only taken
// when they are written to, so room to grow costs address space alone.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace lanesort::io {

class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::uint64_t size_bytes);  // throws Failure naming the size
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  std::byte* data() const { return data_; }
  std::uint64_t size() const { return size_bytes_; }
  std::span<std::byte> bytes() const { return {data_, static_cast<std::size_t>(size_bytes_)}; }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(data_), static_cast<std::size_t>(size_bytes_)};
  }

  // Keeps the content; new pages are zero, and the rest of the last one is what it was. Moves pages, not bytes.
  void resize(std::uint64_t size_bytes);

 private:
  std::byte* data_ = nullptr;
  std::uint64_t size_bytes_ = 0;
  std::uint64_t mapped_bytes_ = 0;
};

}  // namespace lanesort::io
