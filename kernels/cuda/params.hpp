// What host and device say to each other: the launch parameters and the control block at the start of scratch.
//
// The control block is zeroed by the recorded work before any kernel reads it, so scratch may hold anything and a
// replayed graph starts afresh.
#pragma once
#include <cstdint>

#include "kernels/key_order.hpp"

namespace lanesort {
inline namespace v1 {
namespace kernels {

// Where items of one kind come from, have to end, and may stand in between. dst null: they are needed on the way
// only (the keys of an argsort), and both alternates are there. src null: values that count up from 0.
struct Route {
  const void* src;
  void* dst;
  void* alternate[2];
};

// KeyOrder of any width, in the low bits.
struct OrderWords {
  std::uint64_t base, flip, largest, nan_image, folded, truth_mask;
};

enum SortFlags : std::uint32_t {
  kWholeKeys = 1,  // no values and all bits sorted: keys that compare equal are the same bytes unless one is special
  kSurveyed = 2,   // an earlier kernel of the same work has filled control->disorder
};

constexpr std::uint32_t kNotAscending = 1, kNotDescending = 2;

struct Control {
  std::uint32_t barrier;   // arrivals at the grid's barrier, ever rising
  std::uint32_t ticket;    // tiles handed out, ever rising
  std::uint32_t disorder;  // kNotAscending: some key stands before a smaller one; kNotDescending: before one not smaller
  std::uint32_t specials;  // some key is NaN or negative zero in an order that folds them
  std::uint32_t finished;  // an earlier kernel of the same work has taken the sort over
  std::uint32_t padding[11];
  std::uint64_t histogram[8][256];
};

struct SortParams {
  Route keys, values;
  const std::uint64_t* device_count;  // null: count
  std::uint64_t count;
  Control* control;
  std::uint32_t* lookback;  // 256 words for each tile of a portion
  OrderWords order;
  std::uint32_t bit_begin, bit_end;
  std::uint32_t portion;  // items ranked with 32-bit arithmetic, a multiple of the tile
  std::uint32_t flags;
};

struct CheckParams {
  const void *keys_src, *keys_dst, *values_src, *values_dst;
  const std::uint64_t* device_count;
  std::uint64_t count;
  std::uint64_t* answer;   // is_sorted: first offender; verify: the verdict's 64-bit words
  std::uint32_t* seen;     // verify of an argsort: one bit an index
  OrderWords order;
  std::uint32_t bit_begin, bit_end;
  std::uint32_t value_bytes;
  std::uint32_t argsort;
};

}  // namespace kernels
}  // namespace v1
}  // namespace lanesort
