// verify: is OUT a sort of IN? The judgement is the library's lanesort_verify, which shares no code with the sorts.
#include <cstdio>

#include "commands.hpp"
#include "engine.hpp"
#include "io/failure.hpp"
#include "key_text.hpp"
#include "report.hpp"
#include "status.hpp"

namespace lanesort::cli {
namespace {
int pronounce(Report& report, const Options& options, bool good, const std::string& why) {
  report.add("good", good);
  if (!good) report.add("why", why);
  report.finish();
  if (good) {
    if (!options.quiet && !options.json)
      std::printf("good: %s is %s of %s\n", options.second_input.c_str(),
                  options.judges_indices ? "an argsort" : "a sort", options.input.c_str());
    return kGood;
  }
  std::fprintf(stderr, "lanesort: %s: %s\n", options.second_input.c_str(), why.c_str());
  return kSaysNo;
}

lanesort_verdict judge(lanesort_operation operation, const lanesort_sort_desc& desc) {
  lanesort_verdict verdict = LANESORT_VERDICT_INIT;
  if (lanesort_verify(operation, &desc, &verdict) != LANESORT_OK) throw io::Failure(lanesort_last_error());
  return verdict;
}

std::string counts_differ(std::uint64_t after, std::uint64_t before) {
  return "holds " + std::to_string(after) + " items, and there were " + std::to_string(before);
}

int verify_indices(const Options& options, Report& report, Source& before) {
  Source after = open_values(options.second_input, options);
  const io::Buffer keys = load(before, options, report.begin("read", before.data_bytes.value_or(0)));
  if (after.count && *after.count != *before.count)
    return pronounce(report, options, false, counts_differ(*after.count, *before.count));
  io::Buffer indices = load(after, options, report.begin("read", after.data_bytes.value_or(0)), *before.count);
  lanesort_sort_desc desc = describe(options, before.dtype, *before.count);
  desc.value_bytes = *before.count == 0 ? 4 : after.item_bytes;
  if (desc.value_bytes != 4 && desc.value_bytes != 8)
    throw io::Failure(after.name() + ": " + std::to_string(after.item_bytes) +
                      " bytes an item are no index; u32 and u64 are");
  if (after.npy && after.npy->big_endian) swap_bytes(indices.bytes(), after.item_bytes);
  desc.keys_src = keys.data();
  desc.values_dst = indices.data();
  report.begin("verify", keys.size() + indices.size());
  const lanesort_verdict verdict = judge(LANESORT_OP_ARGSORT, desc);
  return pronounce(
      report, options, verdict.good != 0,
      "index " + std::to_string(verdict.first_offender + 1) + " is out of range, there twice, or out of order");
}

int verify_keys(const Options& options, Report& report, Source& before, Source& after) {
  if (before.dtype != after.dtype) {
    return pronounce(report, options, false,
                     std::string("holds ") + lanesort_dtype_name(after.dtype) + ", and " + before.name() + " " +
                         lanesort_dtype_name(before.dtype));
  }
  expect_same_times(before, after);
  const io::Buffer keys = load(before, options, report.begin("read", before.data_bytes.value_or(0)));
  io::Buffer sorted = load(after, options, report.begin("read", after.data_bytes.value_or(0)));
  if (*before.count != *after.count)
    return pronounce(report, options, false, counts_differ(*after.count, *before.count));
  lanesort_sort_desc desc = describe(options, before.dtype, *before.count);
  desc.keys_src = keys.data();
  desc.keys_dst = sorted.data();
  io::Buffer values, moved;
  if (!options.values.empty()) {
    Source values_before = open_values(options.values[0], options),
           values_after = open_values(options.values_out[0], options);
    values = load(values_before, options, report.begin("read", 0), *before.count);
    moved = load(values_after, options, report.begin("read", 0), *before.count);
    if (values_before.item_bytes != values_after.item_bytes)
      return pronounce(report, options, false,
                       values_after.name() + " and " + values_before.name() + " hold items of different widths");
    desc.values_src = values.data();
    desc.values_dst = moved.data();
    desc.value_bytes = values_before.item_bytes;
  }
  report.begin("verify", keys.size() + sorted.size());
  const lanesort_verdict verdict = judge(options.values.empty() ? LANESORT_OP_SORT : LANESORT_OP_SORT_PAIRS, desc);
  if (verdict.good != 0) return pronounce(report, options, true, {});
  if (verdict.first_offender == *before.count) {
    return pronounce(
        report, options, false,
        "is in order, and does not hold what " + before.name() + " holds: something was lost, added or changed");
  }
  std::byte* key = sorted.data() + verdict.first_offender * before.item_bytes;
  if (wants_time_shift(after, options)) shift_times({key, before.item_bytes}, 1);
  return pronounce(
      report, options, false,
      "disorder at item " + std::to_string(verdict.first_offender + 1) + ": " + key_text(before.dtype, key));
}
}  // namespace

int verify_command(const Options& options) {
  require_device(options);
  if (options.input == "-" && options.second_input == "-") throw Usage("standard input cannot be IN and OUT both");
  Report report(options, "verify");
  report.begin("read", 0);  // a pipe may make us wait right here
  Source before = open_keys(options.input, options);
  if (before.is_binary() && options.judges_indices) return verify_indices(options, report, before);
  Options like_before = options;  // raw data are what they were
  if (before.is_binary() && !before.npy) like_before.raw_dtype = before.dtype;
  Source after = open_keys(options.second_input, like_before);
  if (before.is_binary() != after.is_binary())
    throw io::Failure(before.name() + " and " + after.name() + ": one is text and one is not; see --format");
  if (!before.is_binary()) return verify_text(options, before, after, report);
  return verify_keys(options, report, before, after);
}

}  // namespace lanesort::cli
