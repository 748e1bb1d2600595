// Made by tools/contract.py from kernels/contract.toml; change it there.
#pragma once
#include <cstdint>

namespace lanesort {
inline namespace v1 {
namespace contract {

inline constexpr std::uint32_t kBindingKeysSrc = 0;
inline constexpr std::uint32_t kBindingKeysDst = 1;
inline constexpr std::uint32_t kBindingKeysAlt = 2;
inline constexpr std::uint32_t kBindingValuesSrc = 3;
inline constexpr std::uint32_t kBindingValuesDst = 4;
inline constexpr std::uint32_t kBindingValuesAlt = 5;
inline constexpr std::uint32_t kBindingCounts = 6;
inline constexpr std::uint32_t kBindingControl = 7;
inline constexpr std::uint32_t kOffsetBegins = 5;
inline constexpr std::uint32_t kOffsetEnds = 6;
inline constexpr std::uint32_t kUniformStep = 0;
inline constexpr std::uint32_t kUniformRequest = 1;
inline constexpr std::uint32_t kFlagKeysInPlace = 1;
inline constexpr std::uint32_t kFlagValuesInPlace = 2;
inline constexpr std::uint32_t kFlagArgsort = 4;
inline constexpr std::uint32_t kFlagIota = 8;
inline constexpr std::uint32_t kFlagSurvey = 16;
inline constexpr std::uint32_t kFlagPlain = 32;
inline constexpr std::uint32_t kFlagEnds = 128;
inline constexpr std::uint32_t kFlagLocal = 256;
inline constexpr std::uint32_t kFlagChosen = 64;
inline constexpr std::uint32_t kSideSrc = 0;
inline constexpr std::uint32_t kSideDst = 1;
inline constexpr std::uint32_t kSideAlt = 2;
inline constexpr std::uint32_t kChoicePrefixLo = 0;
inline constexpr std::uint32_t kChoicePrefixHi = 1;
inline constexpr std::uint32_t kChoiceMaskLo = 2;
inline constexpr std::uint32_t kChoiceMaskHi = 3;
inline constexpr std::uint32_t kChoiceLess = 4;
inline constexpr std::uint32_t kChoiceInside = 5;
inline constexpr std::uint32_t kChoiceWords = 6;
inline constexpr std::uint32_t kControlCount = 0;
inline constexpr std::uint32_t kControlGroups = 1;
inline constexpr std::uint32_t kControlVaryingLo = 2;
inline constexpr std::uint32_t kControlVaryingHi = 3;
inline constexpr std::uint32_t kControlUnsorted = 4;
inline constexpr std::uint32_t kControlLastCount = 5;
inline constexpr std::uint32_t kControlSortedCount = 6;
inline constexpr std::uint32_t kControlKept = 7;
inline constexpr std::uint32_t kControlTickets = 8;
inline constexpr std::uint32_t kControlBroken = 8;
inline constexpr std::uint32_t kControlChoices = 8;
inline constexpr std::uint32_t kControlTotals = 64;
inline constexpr std::uint32_t kControlWords = 320;
inline constexpr std::uint32_t kChunkBegin = 0;
inline constexpr std::uint32_t kChunkCount = 1;
inline constexpr std::uint32_t kChunkFirst = 2;
inline constexpr std::uint32_t kChunkWords = 3;
inline constexpr std::uint32_t kMessageCount = 1073741823;
inline constexpr std::uint32_t kMessageReady = 1073741824;
inline constexpr std::uint32_t kMessageDone = 2147483648;
inline constexpr std::uint32_t kLimitStepStrideBytes = 256;
inline constexpr std::uint32_t kLimitSliceAlignBytes = 256;
inline constexpr std::uint32_t kLimitBlockSegments = 256;
inline constexpr std::uint32_t kLimitMaxTile = 65535;

struct Step {
  std::uint32_t shift = 0;
  std::uint32_t digit_mask = 0;
  std::uint32_t pass_index = 0;
  std::uint32_t pass_count = 0;
  std::uint32_t bit_begin = 0;
  std::uint32_t radix_bits = 0;
  std::uint32_t max_groups = 0;
  std::uint32_t flags = 0;
  std::uint32_t base_lo = 0;
  std::uint32_t base_hi = 0;
  std::uint32_t flip_lo = 0;
  std::uint32_t flip_hi = 0;
  std::uint32_t largest_lo = 0;
  std::uint32_t largest_hi = 0;
  std::uint32_t nan_lo = 0;
  std::uint32_t nan_hi = 0;
  std::uint32_t folded_lo = 0;
  std::uint32_t folded_hi = 0;
  std::uint32_t sign_lo = 0;
  std::uint32_t sign_hi = 0;
  std::uint32_t range_lo = 0;
  std::uint32_t range_hi = 0;
  std::uint32_t truth = 0;
  std::uint32_t narrow_bits = 0;
  std::uint32_t control_words = 0;
  std::uint32_t looks = 0;
  std::uint32_t withheld = 0;
  std::uint32_t kept = 0;
  std::uint32_t room = 0;
  std::uint32_t block_segments = 0;
  std::uint32_t stretches = 0;
  std::uint32_t chunk_tiles = 0;
  bool operator==(const Step&) const = default;
};
inline constexpr const char* kStepFields[] = {"shift", "digit_mask", "pass_index", "pass_count", "bit_begin", "radix_bits", "max_groups", "flags", "base_lo", "base_hi", "flip_lo", "flip_hi", "largest_lo", "largest_hi", "nan_lo", "nan_hi", "folded_lo", "folded_hi", "sign_lo", "sign_hi", "range_lo", "range_hi", "truth", "narrow_bits", "control_words", "looks", "withheld", "kept", "room", "block_segments", "stretches", "chunk_tiles"};

struct Request {
  std::uint32_t bound = 0;
  std::uint32_t count_word = 0;
  std::uint32_t count_on_device = 0;
  std::uint32_t segment_count = 0;
  bool operator==(const Request&) const = default;
};
inline constexpr const char* kRequestFields[] = {"bound", "count_word", "count_on_device", "segment_count"};

enum class Kernel : std::uint32_t {
  begin,
  unpack,
  count,
  scan,
  scatter,
  tally,
  sweep,
  finish,
  pack,
  small,
  probe,
  keep,
  cut,
  segment_sums,
  segment_list,
  segments,
  segment_count,
  segment_scatter,
  segment_finish,
  segment_pack,
};
inline constexpr const char* kKernelNames[] = {"begin", "unpack", "count", "scan", "scatter", "tally", "sweep", "finish", "pack", "small", "probe", "keep", "cut", "segment_sums", "segment_list", "segments", "segment_count", "segment_scatter", "segment_finish", "segment_pack"};
// The parts of each kernel's text, a blank between two.
inline constexpr const char* kKernelParts[] = {"key32 value0 item_count", "key32 value0 course", "key value0 course place_plain load survey histogram", "key32 value0 course place_plain", "key value course place staging rank load move bases", "key value0 course place_plain load survey messages", "key value course place staging rank load move messages", "key value course settle", "key32 value0 course", "key value item_count course place staging rank mapped", "key value0 course place_plain load source choice", "key value course place_plain load source choice", "key value course", "key32 value0 course place_plain offsets", "key32 value0 course place_plain offsets", "key value course place staging rank mapped offsets", "key value0 course place_plain load survey histogram chunk", "key value course place staging rank load move bases chunk", "key value course settle chunk", "key32 value0 course offsets"};

}  // namespace contract
}  // namespace v1
}  // namespace lanesort
