#include "pipeline/blocks.hpp"

#include <algorithm>

#include "pipeline/copy.hpp"

namespace lanesort {
inline namespace v1 {
namespace pipeline {

Blocks::Blocks(const plan::BlockPlan& plan, const cpu::KeySpec& key, std::uint32_t value_bytes, const Columns& results,
               const Columns& spare)
    : plan_(plan),
      value_bytes_(value_bytes),
      results_(results),
      spare_(spare),
      runs_{key, plan.count, plan.chunk, plan.block, {}},
      given_(plan.chunks(), 0),
      cleared_(plan.spare_blocks()) {
  const std::uint64_t blocks = (plan.count + plan.block - 1) / plan.block, whole = plan.count / plan.block;
  runs_.blocks.resize(blocks);
  places_.resize(blocks);
  owners_.assign(plan.spare_blocks() + blocks, kNone);
  for (std::uint64_t b = 0; b < blocks; ++b) put(b, plan.first_block(0) + b);
  for (std::uint64_t place = 0; place < plan.spare_blocks() + whole; ++place) {
    if (owners_[place] == kNone) free_.insert(place);
  }
}

Columns Blocks::at(std::uint64_t place) const {
  const bool spare = place < plan_.spare_blocks();
  const Columns& columns = spare ? spare_ : results_;
  const std::uint64_t item = (spare ? place : place - plan_.spare_blocks()) * plan_.block;
  return {columns.keys + item * runs_.key.bytes,
          columns.values == nullptr ? nullptr : columns.values + item * value_bytes_};
}

void Blocks::put(std::uint64_t block, std::uint64_t place) {
  places_[block] = place;
  owners_[place] = block;
  runs_.blocks[block] = at(place).keys;
}

void Blocks::give_back(const std::vector<std::uint64_t>& before) {
  for (std::uint64_t r = 0; r < given_.size(); ++r) {
    const std::uint64_t length = runs_.length_of(r), block = plan_.block;
    const std::uint64_t end = before[r] == length ? (length + block - 1) / block : before[r] / block;
    for (; given_[r] < end; ++given_[r]) {
      const std::uint64_t place = places_[runs_.block_of(r, given_[r] * block)];
      owners_[place] = kNone;
      free_.insert(place);
    }
  }
}

void Blocks::clear(std::uint64_t range, Carrier& copier) {
  const std::uint64_t end =
      std::min<std::uint64_t>(owners_.size(), plan_.spare_blocks() + (range + 1) * plan_.blocks_of_chunk());
  std::vector<std::uint64_t> from, to;
  for (; cleared_ < end; ++cleared_) {
    if (owners_[cleared_] != kNone)
      from.push_back(cleared_);
    else
      free_.erase(cleared_);
  }
  // The last places are cleared last, and need not be left again soon.
  for (std::uint64_t i = 0; i < from.size(); ++i) {
    const auto last = std::prev(free_.end());
    to.push_back(*last);
    free_.erase(last);
  }
  std::reverse(to.begin(), to.end());
  move(from, to, copier);
}

void Blocks::move(const std::vector<std::uint64_t>& from, const std::vector<std::uint64_t>& to, Carrier& copier) {
  const std::uint64_t key_bytes = plan_.block * runs_.key.bytes, value_bytes = plan_.block * value_bytes_;
  const auto copy = [&](std::uint64_t i) {
    const Columns source = at(from[i]), target = at(to[i]);
    copy_past_caches(target.keys, source.keys, key_bytes);
    if (value_bytes != 0) copy_past_caches(target.values, source.values, value_bytes);
  };
  copier.each(from.size(), from.size() * (key_bytes + value_bytes), copy);
  for (std::uint64_t i = 0; i < from.size(); ++i) {
    put(owners_[from[i]], to[i]);
    owners_[from[i]] = kNone;
  }
}

void Blocks::add_to(Load* load, std::uint64_t run, std::uint64_t begin, std::uint64_t end) const {
  while (begin < end) {
    const std::uint64_t block = runs_.block_of(run, begin), within = begin % plan_.block;
    const std::uint64_t items = std::min(end - begin, plan_.block - within);
    const Columns columns = at(places_[block]);
    load->keys.add(columns.keys + within * runs_.key.bytes, items * runs_.key.bytes);
    if (value_bytes_ != 0) load->values.add(columns.values + within * value_bytes_, items * value_bytes_);
    begin += items;
  }
}

}  // namespace pipeline
}  // namespace v1
}  // namespace lanesort
