#include <algorithm>
#include <vector>

#include "reference/item_count.hpp"
#include "reference/kernels.hpp"
#include "reference/ranks.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {
namespace {

struct Item {
  std::uint64_t ranged = 0;  // the mapped key, as far as the bit range looks at it
  std::uint32_t origin = 0;
};

std::vector<Item> load_mapped(const Work& work, std::uint32_t count) {
  std::vector<Item> items;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t raw = work.key(start_side(work, contract::kFlagKeysInPlace), i);
    items.push_back({key_order(work.step, raw) & range_of(work.step), i});
  }
  return items;
}

void sort_by_digit(const Work& work, std::uint32_t shift, std::vector<Item>& items) {
  std::vector<std::uint32_t> digits;
  for (const Item& item : items) {
    digits.push_back(static_cast<std::uint32_t>(item.ranged >> shift) & (work.shape.radix() - 1));
  }
  items = staged(items, rank_keys(digits, work.shape.radix()));
}

void write_out(const Work& work, const std::vector<Item>& items) {
  std::vector<std::uint64_t> keys;
  std::vector<Value> values;
  for (const Item& item : items) {
    keys.push_back(work.key(start_side(work, contract::kFlagKeysInPlace), item.origin));
    values.push_back(work.flag(contract::kFlagIota)
                         ? Work::value_of_index(item.origin)
                         : work.value(start_side(work, contract::kFlagValuesInPlace), item.origin));
  }
  for (std::size_t i = 0; i < items.size() && i < work.step.kept; ++i) {  // in place: all are fetched before any is written
    if (!work.flag(contract::kFlagArgsort)) work.set_key(contract::kSideDst, i, keys[i]);
    work.set_value(contract::kSideDst, i, values[i]);
  }
}

}  // namespace

void small(const Work& work, std::uint32_t) {
  const std::uint32_t count = item_count(work);
  std::vector<Item> items = load_mapped(work, count);
  std::uint32_t last_count = 0;
  for (const Item& item : items) last_count += item.ranged == range_of(work.step) ? 1 : 0;
  for (std::uint32_t pass = 0; pass < work.step.pass_count; ++pass) {
    sort_by_digit(work, work.step.bit_begin + pass * work.shape.radix_bits, items);
  }
  write_out(work, items);
  work.control().store(contract::kControlCount, count);
  work.control().store(contract::kControlLastCount, last_count);
  work.control().store(contract::kControlSortedCount, std::min(count - last_count, work.step.kept));
  work.control().store(contract::kControlKept, std::min(count, work.step.kept));
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
