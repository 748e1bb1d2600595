// merge: several sorted files into one. Each input is checked; then the stable sort of all of them, one behind the
// other, is their merge, whatever the dtype, order and device. Invariant: nothing is written before all inputs passed.
#include <algorithm>
#include <cstring>

#include "commands.hpp"
#include "device.hpp"
#include "engine.hpp"
#include "io/failure.hpp"
#include "key_text.hpp"
#include "report.hpp"
#include "status.hpp"
#include "target.hpp"

namespace lanesort::cli {
namespace {
// All inputs are texts, or all hold keys of one dtype. Raw data without a name for theirs hold what the first input does.
std::vector<Source> open_all(const Options& options) {
  std::vector<Source> sources;
  sources.reserve(options.inputs.size());
  Options like_first = options;
  for (const std::string& path : options.inputs) {
    Source source = open_keys(path, like_first);
    if (!sources.empty()) {
      const Source& first = sources[0];
      if (first.is_binary() != source.is_binary())
        throw io::Failure(first.name() + " and " + source.name() + ": one is text and one is not; see --format");
      if (first.dtype != source.dtype)
        throw io::Failure(source.name() + ": holds " + lanesort_dtype_name(source.dtype) + ", and " + first.name() + " " +
                          lanesort_dtype_name(first.dtype) + "; files of one dtype are merged");
      expect_same_times(first, source);
    } else if (source.is_binary()) {
      like_first.raw_dtype = source.dtype;
    }
    sources.push_back(std::move(source));
  }
  return sources;
}

void expect_sorted(const Options& options, const Source& source, const io::Buffer& keys) {
  lanesort_sort_desc desc = describe(options, source.dtype, *source.count);
  desc.keys_src = keys.data();
  std::uint64_t offender = 0;
  if (lanesort_is_sorted(&desc, &offender) != LANESORT_OK) throw io::Failure(lanesort_last_error());
  if (offender == *source.count) return;
  std::byte* const key = keys.data() + offender * source.item_bytes;
  if (wants_time_shift(source, options)) shift_times({key, source.item_bytes}, 1);
  refuse_unsorted(source.name(), offender, key_text(source.dtype, key));
}

// What the first input says of its keys, over all of them.
void widen(Source& first, std::uint64_t count) {
  first.count = count;
  first.data_bytes = count * first.item_bytes;
  if (first.npy) first.npy->bytes = io::make_npy_header(first.npy->descr, count);
}

io::Buffer load_all(const Options& options, std::vector<Source>& sources, Report& report) {
  io::Buffer all;
  for (Source& source : sources) {
    const io::Buffer keys = load(source, options, report.begin("read", source.data_bytes.value_or(0)));
    report.begin("check", keys.size());
    expect_sorted(options, source, keys);
    const std::uint64_t before = all.size();
    all.resize(before + keys.size());
    if (keys.size() != 0) std::memcpy(all.data() + before, keys.data(), keys.size());
    expect_memory(options, all.size() + keys.size());
  }
  return all;
}
}  // namespace

void refuse_unsorted(const std::string& name, std::uint64_t offender, const std::string& spelled) {
  throw io::Failure(name + ":" + std::to_string(offender + 1) + ": disorder: " + spelled +
                    "; merge takes inputs that are in the order asked for (-r, --nan, --bits); sort this one first");
}

int merge_command(const Options& options) {
  require_device(options);
  Report report(options, "merge");
  report.begin("read", 0);  // a pipe may make us wait right here
  std::vector<Source> sources = open_all(options);
  if (!sources[0].is_binary()) return merge_text(options, sources, report);
  Source& first = sources[0];
  expect_writable(first, options.output);

  std::uint64_t count = 0, longest_bytes = 0;  // as far as they are known before reading
  for (const Source& source : sources) {
    count += source.count.value_or(0);
    longest_bytes = std::max(longest_bytes, source.data_bytes.value_or(0));
  }
  const auto needed_bytes = [&](std::uint64_t items) {
    const std::uint64_t scratch = scratch_bytes(LANESORT_OP_SORT, describe(options, first.dtype, items));
    return items * first.item_bytes + std::max(longest_bytes, scratch);
  };
  report.add("input", first.name());
  report.add("input_count", std::uint64_t{sources.size()});
  report.add("output", options.output == "-" ? std::string("standard output") : options.output);
  report.add("dtype", std::string(lanesort_dtype_name(first.dtype)));
  report.add("order", std::string(options.order == LANESORT_DESCENDING ? "desc" : "asc"));
  report.add("device", device_words(options));
  report.add("memory_bytes", needed_bytes(count));
  expect_memory(options, needed_bytes(count));
  if (options.dry_run) return report.print_result(), kGood;

  io::Output output(options.output, std::nullopt, is_binary(output_format(options.output, first.format)));
  io::Buffer keys = load_all(options, sources, report);
  widen(first, keys.size() / first.item_bytes);
  report.add("count", *first.count);
  expect_memory(options, needed_bytes(*first.count));
  report.begin("merge", keys.size());
  sort_keys(options, first.dtype, *first.count, keys);
  store(output, first, options, keys, report.begin("write", keys.size()));
  output.commit();
  report.finish();
  return kGood;
}

}  // namespace lanesort::cli
