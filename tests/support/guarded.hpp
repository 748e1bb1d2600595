// Memory whose surroundings tell when they are written, and what is expected there.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace lanesort::test {

inline constexpr unsigned char kCanary = 0xA5;
inline constexpr unsigned char kDirt = 0xCD;

// Bytes at an address of chosen misalignment with canaries on both sides.
class Guarded {
 public:
  Guarded(std::uint64_t bytes, std::uint64_t misalignment, unsigned char fill = kDirt)
      : memory_(bytes + 2 * kFence + 64, kCanary), begin_(kFence + misalignment), bytes_(bytes) {
    std::fill_n(memory_.begin() + static_cast<std::ptrdiff_t>(begin_), bytes, fill);
  }
  Guarded(const std::vector<unsigned char>& content, std::uint64_t misalignment)
      : Guarded(content.size(), misalignment) {
    std::copy(content.begin(), content.end(), memory_.begin() + static_cast<std::ptrdiff_t>(begin_));
  }
  unsigned char* data() { return memory_.data() + begin_; }
  std::vector<unsigned char> content() const {
    return {memory_.begin() + static_cast<std::ptrdiff_t>(begin_),
            memory_.begin() + static_cast<std::ptrdiff_t>(begin_ + bytes_)};
  }
  bool intact() const {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      if ((i < begin_ || i >= begin_ + bytes_) && memory_[i] != kCanary) return false;
    }
    return true;
  }

 private:
  static constexpr std::uint64_t kFence = 128;
  std::vector<unsigned char> memory_;
  std::size_t begin_;
  std::uint64_t bytes_;
};

inline std::vector<unsigned char> index_bytes_of(const std::vector<std::uint64_t>& order, std::uint32_t bytes) {
  std::vector<unsigned char> out(order.size() * bytes);
  for (std::size_t i = 0; i < order.size(); ++i) std::memcpy(out.data() + i * bytes, &order[i], bytes);
  return out;
}

}  // namespace lanesort::test
