// gen: test data, the same bytes on every machine.
#include <string>

#include "bench/patterns.hpp"
#include "commands.hpp"
#include "engine.hpp"
#include "io/failure.hpp"
#include "report.hpp"
#include "status.hpp"
#include "target.hpp"

namespace lanesort::cli {
namespace {
Format format_by_name(const Options& options, lanesort_dtype dtype) {
  if (options.format != Format::automatic) return options.format;
  expect_named_for(options.output, dtype, "the numbers");
  return output_format(options.output, Format::raw);
}
}  // namespace

int gen_command(const Options& options) {
  const bench::PatternSpec spec = bench::parse_pattern_spec(options.spec);
  const Format format = format_by_name(options, spec.dtype);
  const std::uint64_t width = lanesort_dtype_bytes(spec.dtype);
  if (spec.count > INT64_MAX / width) throw Usage(options.spec + ": more than 2^63 - 1 bytes");
  const bool binary = is_binary(format);
  const std::string header =
      format == Format::npy ? io::make_npy_header(npy_descr(spec.dtype), spec.count) : std::string();

  Report report(options, "gen");
  report.add("output", options.output == "-" ? std::string("standard output") : options.output);
  report.add("dtype", std::string(lanesort_dtype_name(spec.dtype)));
  report.add("count", spec.count);
  io::Output output(options.output, binary ? std::optional(header.size() + spec.count * width) : std::nullopt, binary);
  const io::Buffer keys(spec.count * width);
  report.begin("make", keys.size());
  bench::generate(spec, keys.bytes(), thread_count(options));
  io::Meter* meter = report.begin("write", 0);
  if (binary) {
    output.write(header);
    output.write(std::span<const std::byte>(keys.bytes()), meter);
  } else {
    write_keys(output, spec.dtype, keys.bytes(), format == Format::json, meter);
  }
  output.commit();
  report.finish();
  return kGood;
}

}  // namespace lanesort::cli
