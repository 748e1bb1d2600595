// What every kernel is given: its step, the request, the literals that its text would be made with, and what is bound.
// A key is its mapped or raw bits in 64, whatever its width; a value is its words, the missing ones 0.
#pragma once
#include <array>

#include "kernels/contract.hpp"
#include "kernels/key_order.hpp"
#include "reference/view.hpp"
#include "tune/portable_shapes.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {

using Value = std::array<std::uint32_t, 4>;

struct Work {
  contract::Step step;
  contract::Request request;
  tune::PortableShape shape;
  std::uint32_t key_words = 1, value_words = 0;
  std::uint32_t workgroups = 0;
  std::array<View, 8> bound;  // by the numbers of the contract's bindings

  bool flag(std::uint32_t bit) const { return (step.flags & bit) != 0; }
  const View& counts() const { return bound[contract::kBindingCounts]; }
  const View& control() const { return bound[contract::kBindingControl]; }

  // The bindings of keys, and those of values, stand in the order of the sides.
  std::uint64_t key(std::uint32_t side, std::uint64_t index) const {
    const View& keys = bound[contract::kBindingKeysSrc + side];
    const std::uint64_t low = keys.load(index * key_words);
    return key_words == 1 ? low : low | std::uint64_t{keys.load(index * 2 + 1)} << 32;
  }
  void set_key(std::uint32_t side, std::uint64_t index, std::uint64_t key) const {
    const View& keys = bound[contract::kBindingKeysSrc + side];
    for (std::uint32_t word = 0; word < key_words; ++word) {
      keys.store(index * key_words + word, static_cast<std::uint32_t>(key >> 32 * word));
    }
  }
  Value value(std::uint32_t side, std::uint64_t index) const {
    Value out{};
    for (std::uint32_t word = 0; word < value_words; ++word) {
      out[word] = bound[contract::kBindingValuesSrc + side].load(index * value_words + word);
    }
    return out;
  }
  void set_value(std::uint32_t side, std::uint64_t index, const Value& value) const {
    for (std::uint32_t word = 0; word < value_words; ++word) {
      bound[contract::kBindingValuesSrc + side].store(index * value_words + word, value[word]);
    }
  }
  static Value value_of_index(std::uint64_t index) { return {static_cast<std::uint32_t>(index), 0, 0, 0}; }
};

// Where keys, or values, stand before anything has moved them.
inline std::uint32_t start_side(const Work& work, std::uint32_t in_place_flag) {
  return work.flag(in_place_flag) ? contract::kSideDst : contract::kSideSrc;
}

inline std::uint64_t joined(std::uint32_t low, std::uint32_t high) { return low | std::uint64_t{high} << 32; }

// The order of kernels/key_order.hpp with the numbers of the step.
template <class U>
std::uint64_t key_order_of(const contract::Step& step, std::uint64_t raw) {
  KeyOrder<U> order;
  order.base = static_cast<U>(joined(step.base_lo, step.base_hi));
  order.flip = static_cast<U>(joined(step.flip_lo, step.flip_hi));
  order.largest = static_cast<U>(joined(step.largest_lo, step.largest_hi));
  order.nan_image = static_cast<U>(joined(step.nan_lo, step.nan_hi));
  order.folded = static_cast<U>(joined(step.folded_lo, step.folded_hi));
  order.truth_mask = step.truth != 0 ? static_cast<U>(~U{0}) : U{0};
  return order.map(static_cast<U>(raw));
}

inline std::uint64_t key_order(const contract::Step& step, std::uint64_t raw) {
  if (step.sign_hi != 0) return key_order_of<std::uint64_t>(step, raw);
  if (step.sign_lo == KeyOrder<std::uint32_t>::kSign) return key_order_of<std::uint32_t>(step, raw);
  if (step.sign_lo == KeyOrder<std::uint16_t>::kSign) return key_order_of<std::uint16_t>(step, raw);
  return key_order_of<std::uint8_t>(step, raw);
}

inline std::uint64_t range_of(const contract::Step& step) { return joined(step.range_lo, step.range_hi); }

inline std::uint32_t key_digit(const contract::Step& step, std::uint64_t mapped) {
  return static_cast<std::uint32_t>(mapped >> step.shift) & step.digit_mask;
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
