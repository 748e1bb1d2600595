// The input, and where contenders work. The same for all contenders of a row.
#pragma once
#include <cstdint>

#include "bench/harness.hpp"
#include "bench/machine.hpp"
#include "bench/proof.hpp"
#include "bench/rivals/rival.hpp"

namespace lanesort::bench {

// Short arrays are sorted many at a time, each a different one, so that the clock can see them and no branch
// predictor learns them by heart. A GPU has a clock that sees one, and nothing to learn by.
struct Arena {
  Task task;
  std::uint64_t arrays = 1;
  Buffer keys, values, work;
  Buffer records;  // pairs as structs, for rivals
  RecordLayout record{};
  std::uint64_t values_at = 0;  // in work, behind the keys

  std::uint64_t keys_bytes() const { return task.count * task.key_bytes; }
  std::uint64_t values_bytes() const { return task.count * task.value_bytes; }
  std::byte* keys_of(std::uint64_t a) const { return keys.data() + a * keys_bytes(); }
  std::byte* values_of(std::uint64_t a) const { return values.data() + a * values_bytes(); }
  std::byte* work_keys_of(std::uint64_t a) const { return work.data() + a * keys_bytes(); }
  std::byte* work_values_of(std::uint64_t a) const { return work.data() + values_at + a * values_bytes(); }
};

Arena make_arena(const Task& task, const BenchOptions& options);

}  // namespace lanesort::bench
