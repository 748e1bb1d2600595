#include "bench/arena.hpp"

#include <algorithm>

#include "bench/strided.hpp"

namespace lanesort::bench {

using std::uint64_t;

namespace {

uint64_t arrays_per_sample(uint64_t count) {
  constexpr uint64_t kItemsPerSample = 1 << 19, kMostArrays = 1024;
  return std::clamp<uint64_t>(kItemsPerSample / std::max<uint64_t>(count, 1), 1, kMostArrays);
}

// Arrays lie without gaps, so that all of them are packed as one.
void pack_records(Arena& arena) {
  const Task& task = arena.task;
  const uint64_t count = arena.arrays * task.count;
  arena.record = record_layout(task.key_bytes, task.value_bytes);
  arena.records = Buffer(count * arena.record.record_bytes);
  const uint64_t step = arena.record.record_bytes;
  copy_items({arena.records.data(), step}, {arena.keys.data(), task.key_bytes}, task.key_bytes, count);
  copy_items({arena.records.data() + arena.record.value_offset, step}, {arena.values.data(), task.value_bytes},
             task.value_bytes, count);
}

}  // namespace

Arena make_arena(const Task& task, const BenchOptions& options) {
  Arena arena;
  arena.task = task;
  if (options.gpu == nullptr && task.offsets.empty()) arena.arrays = arrays_per_sample(task.count);
  arena.keys = Buffer(arena.arrays * arena.keys_bytes());
  for (uint64_t a = 0; a < arena.arrays; ++a) {
    const PatternSpec spec{options.pattern, task.dtype, task.count, options.seed + a};
    generate(spec, {arena.keys_of(a), static_cast<std::size_t>(arena.keys_bytes())}, task.threads);
  }
  arena.values_at = (arena.arrays * arena.keys_bytes() + 63) / 64 * 64;
  uint64_t work_bytes = arena.values_at + arena.arrays * arena.values_bytes();
  if (task.op == LANESORT_OP_SORT_PAIRS) {
    arena.values = Buffer(arena.arrays * arena.values_bytes());
    for (uint64_t a = 0; a < arena.arrays; ++a) number_values(arena.values_of(a), task.value_bytes, task.count);
    for (std::size_t s = 0; s + 1 < task.offsets.size(); ++s) {  // by their place in the segment
      number_values(arena.values_of(0) + task.offsets[s] * task.value_bytes, task.value_bytes,
                    task.offsets[s + 1] - task.offsets[s]);
    }
    if ((!options.rivals.empty() && options.gpu == nullptr) || options.by_comparator) pack_records(arena);
    work_bytes = std::max<uint64_t>(work_bytes, arena.records.span().size());
  }
  arena.work = Buffer(work_bytes);
  return arena;
}

}  // namespace lanesort::bench
