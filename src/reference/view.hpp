// A slice of a buffer as a kernel sees it: words, at any address, and every access inside or an exception that says
// which slice, which word and how many there are.
#pragma once
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>

namespace lanesort {
inline namespace v1 {
namespace reference {

class View {
 public:
  View() = default;
  View(const char* name, std::span<unsigned char> bytes) : name_(name), bytes_(bytes) {}

  std::uint32_t load(std::uint64_t word) const {
    std::uint32_t value;
    std::memcpy(&value, at(word), 4);
    return value;
  }
  void store(std::uint64_t word, std::uint32_t value) const { std::memcpy(at(word), &value, 4); }
  void add(std::uint64_t word, std::uint32_t value) const { store(word, load(word) + value); }
  void set_bits(std::uint64_t word, std::uint32_t bits) const { store(word, load(word) | bits); }

 private:
  unsigned char* at(std::uint64_t word) const {
    if (word >= bytes_.size() / 4) {
      throw std::out_of_range(std::string(name_) + ": word " + std::to_string(word) + " of " +
                              std::to_string(bytes_.size() / 4));
    }
    return bytes_.data() + 4 * word;
  }

  const char* name_ = "";
  std::span<unsigned char> bytes_;
};

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
