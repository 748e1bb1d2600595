#include "bench/proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "bench/strided.hpp"

namespace lanesort::bench {
namespace {

std::string fault_by_verdict(lanesort_operation op, const lanesort_sort_desc& desc) {
  lanesort_verdict verdict = LANESORT_VERDICT_INIT;
  if (lanesort_verify(op, &desc, &verdict) != LANESORT_OK)
    return fmt::format("not verified: {}", lanesort_last_error());
  if (verdict.good != 0) return {};
  if (verdict.first_offender < desc.count) {
    return op == LANESORT_OP_ARGSORT ? fmt::format("place {} holds the wrong record", verdict.first_offender)
                                     : fmt::format("key {} stands before its time", verdict.first_offender);
  }
  return "in order, but not the records that went in";
}

// The records' places of origin, out of the values, judged as an argsort of the keys: ties must rise.
std::string stability_fault(const Task& task, const std::byte* keys, const std::byte* sorted_values) {
  const std::uint32_t index_bytes = task.value_bytes < 8 ? 4 : 8;
  const auto origins = std::make_unique_for_overwrite<std::byte[]>(task.count * index_bytes);
  copy_items({origins.get(), index_bytes}, {sorted_values, task.value_bytes}, index_bytes, task.count);
  Task as_argsort = task;
  as_argsort.op = LANESORT_OP_ARGSORT;
  as_argsort.value_bytes = index_bytes;
  lanesort_sort_desc desc = describe(as_argsort);
  desc.keys_src = keys;
  desc.values_dst = origins.get();
  const std::string fault = fault_by_verdict(LANESORT_OP_ARGSORT, desc);
  return fault.empty() ? fault : "not stable: " + fault;
}

// Each segment is proved as an array of its own.
std::string fault_in_segments(const Task& task, const std::byte* keys, const std::byte* values,
                              const std::byte* sorted_keys, const std::byte* sorted_values, bool stable) {
  Task part = task;
  part.offsets = {};
  part.threads = 1;
  for (std::size_t s = 0; s + 1 < task.offsets.size(); ++s) {
    const std::uint64_t begin = task.offsets[s];
    part.count = task.offsets[s + 1] - begin;
    const std::uint64_t key = begin * task.key_bytes, value = begin * task.value_bytes;
    const std::string fault = find_fault(part, keys + key, values == nullptr ? nullptr : values + value,
                                         sorted_keys + key, sorted_values + value, stable);
    if (!fault.empty()) return fmt::format("segment {}: {}", s, fault);
  }
  return {};
}

}  // namespace

lanesort_sort_desc describe(const Task& task) {
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = task.dtype;
  desc.order = task.order;
  desc.bit_begin = task.bit_begin;
  desc.bit_end = task.bit_end;
  desc.value_bytes = task.value_bytes;
  desc.threads = task.threads;
  desc.count = task.count;
  if (!task.offsets.empty()) {
    desc.segment_begins = task.offsets.data();
    desc.segment_count = task.offsets.size() - 1;
    desc.local_indices = 1;  // as a loop over them would give
  }
  return desc;
}

void number_values(std::byte* values, std::uint32_t value_bytes, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i, values += value_bytes) {
    std::memcpy(values, &i, std::min<std::uint32_t>(value_bytes, 8));
    for (std::uint32_t b = 8; b < value_bytes; ++b) values[b] = static_cast<std::byte>((i * 251 + b) >> (b % 4));
  }
}

std::string find_fault(const Task& task, const std::byte* keys, const std::byte* values, const std::byte* sorted_keys,
                       const std::byte* sorted_values, bool stable) {
  if (!task.offsets.empty()) return fault_in_segments(task, keys, values, sorted_keys, sorted_values, stable);
  lanesort_sort_desc desc = describe(task);
  desc.keys_src = keys;
  desc.values_src = task.op == LANESORT_OP_SORT_PAIRS ? values : nullptr;
  // verify only reads what it is given as dst
  desc.keys_dst = task.op == LANESORT_OP_ARGSORT ? nullptr : const_cast<std::byte*>(sorted_keys);
  desc.values_dst = task.op == LANESORT_OP_SORT ? nullptr : const_cast<std::byte*>(sorted_values);
  std::string fault = fault_by_verdict(task.op, desc);
  if (fault.empty() && stable && task.op == LANESORT_OP_SORT_PAIRS && task.value_bytes >= 4) {
    fault = stability_fault(task, keys, sorted_values);
  }
  return fault;
}

}  // namespace lanesort::bench
