#include "commands.hpp"
#include "device.hpp"
#include "engine.hpp"
#include "report.hpp"
#include "segments.hpp"
#include "status.hpp"
#include "target.hpp"

namespace lanesort::cli {
namespace {
std::uint64_t needed_bytes(const Options& options, const Source& keys) {
  const std::uint64_t count = keys.count.value_or(0);
  lanesort_sort_desc desc = describe(options, keys.dtype, count);
  desc.value_bytes = index_bytes_for(options, count);
  return keys.data_bytes.value_or(0) + count * desc.value_bytes + segment_bytes(options, keys) +
         scratch_bytes(LANESORT_OP_ARGSORT, desc);
}
}  // namespace

int argsort_command(const Options& as_asked) {
  const Options options = with_index_of_suffix(as_asked, as_asked.output);
  require_device(options);
  Report report(options, "argsort");
  report.begin("read", 0);  // a pipe may make us wait right here
  Source keys = open_keys(options.input, options);
  expect_segments(options, keys);
  if (!keys.is_binary()) return argsort_text(options, keys, report);

  const std::uint64_t memory_bytes = needed_bytes(options, keys);
  report.add("input", keys.name());
  report.add("output", options.output == "-" ? std::string("standard output") : options.output);
  report.add("dtype", std::string(lanesort_dtype_name(keys.dtype)));
  if (keys.count) {
    report.add("count", *keys.count);
    report.add("memory_bytes", memory_bytes);
  }
  report.add("device", device_words(options));
  expect_memory(options, memory_bytes);
  if (options.dry_run) return report.print_result(), kGood;

  const Format format = output_format(options.output, keys.format);
  std::optional<std::uint64_t> expected;
  const std::vector<std::uint64_t> shape = has_rows(keys) ? keys.npy->shape : std::vector<std::uint64_t>();
  if (keys.count && is_binary(format))
    expected = indices_bytes(format, *keys.count, index_bytes_for(options, *keys.count), shape);
  io::Output output(options.output, expected, is_binary(format));

  const bool counted = keys.count.has_value();
  const io::Buffer data = load(keys, options, report.begin("read", keys.data_bytes.value_or(0)));
  if (!counted) {
    report.add("count", *keys.count);
    expect_memory(options, needed_bytes(options, keys));
  }
  const std::uint32_t index_bytes = index_bytes_for(options, *keys.count);
  report.add("index", std::string(index_bytes == 4 ? "u32" : "u64"));
  report.begin("sort", data.size());
  const io::Buffer indices = argsort(with_segments(options, keys), keys.dtype, *keys.count, data, index_bytes);
  write_indices(output, format, indices, index_bytes, report.begin("write", indices.size()), shape);
  output.commit();
  report.finish();
  return kGood;
}

}  // namespace lanesort::cli
