#include <vector>

#include "reference/kernels.hpp"
#include "reference/offsets.hpp"
#include "reference/ranks.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {
namespace {

struct Item {
  std::uint64_t ranged;  // the mapped key, as far as the bit range looks at it
  std::uint32_t segment, index;
};

// The items of the segments [begin, end) that fit a tile, in a line.
std::vector<Item> load_mapped(const Work& work, std::uint64_t begin, std::uint64_t end, std::uint32_t items) {
  std::vector<Item> line;
  for (std::uint64_t s = begin; s < end; ++s) {
    const Segment segment = segment_at(work, s, items);
    if (segment.count > work.shape.tile()) continue;
    for (std::uint32_t i = segment.begin; i < segment.begin + segment.count; ++i) {
      const std::uint64_t raw = work.key(start_side(work, contract::kFlagKeysInPlace), i);
      line.push_back({key_order(work.step, raw) & range_of(work.step), static_cast<std::uint32_t>(s), i});
    }
  }
  return line;
}

template <class DigitOf>
void sort_by(const Work& work, std::vector<Item>& items, DigitOf digit_of) {
  std::vector<std::uint32_t> digits;
  for (const Item& item : items)
    digits.push_back(static_cast<std::uint32_t>(digit_of(item)) & (work.shape.radix() - 1));
  items = staged(items, rank_keys(digits, work.shape.radix()));
}

std::uint32_t iota_of(const Work& work, const Item& item, std::uint32_t items) {
  return item.index - (work.flag(contract::kFlagLocal) ? segment_at(work, item.segment, items).begin : 0);
}

void write_out(const Work& work, const std::vector<Item>& line, const std::vector<Item>& places, std::uint32_t items) {
  std::vector<std::uint64_t> keys;
  std::vector<Value> values;
  for (const Item& item : line) {
    keys.push_back(work.key(start_side(work, contract::kFlagKeysInPlace), item.index));
    values.push_back(work.flag(contract::kFlagIota)
                         ? Work::value_of_index(iota_of(work, item, items))
                         : work.value(start_side(work, contract::kFlagValuesInPlace), item.index));
  }
  for (std::size_t i = 0; i < line.size(); ++i) {  // in place: all are fetched before any is written
    if (!work.flag(contract::kFlagArgsort)) work.set_key(contract::kSideDst, places[i].index, keys[i]);
    work.set_value(contract::kSideDst, places[i].index, values[i]);
  }
}

}  // namespace

// A block is not cut into packs here: its segments' items come out the same however many are sorted at once.
void segments(const Work& work, std::uint32_t workgroup) {
  const std::uint32_t items = take_items(work);
  const std::uint64_t all = work.request.segment_count, each = work.step.block_segments;
  for (std::uint64_t first = workgroup * each; first < all; first += work.workgroups * each) {
    const std::vector<Item> places = load_mapped(work, first, std::min(first + each, all), items);
    std::vector<Item> line = places;
    for (std::uint32_t pass = 0; pass < work.step.pass_count; ++pass) {
      const std::uint32_t shift = work.step.bit_begin + pass * work.shape.radix_bits;
      sort_by(work, line, [shift](const Item& item) { return item.ranged >> shift; });
    }
    for (std::uint32_t shift = 0; each > 1 && (each - 1) >> shift != 0; shift += work.shape.radix_bits)
      sort_by(work, line, [&](const Item& item) { return (item.segment - first) >> shift; });
    write_out(work, line, places, items);
  }
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
