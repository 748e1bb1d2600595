// gen: test data, the same bytes on every machine.
#include <string>

#include "bench/patterns.hpp"
#include "commands.hpp"
#include "engine.hpp"
#include "io/failure.hpp"
#include "key_text.hpp"
#include "list.hpp"
#include "report.hpp"
#include "status.hpp"

namespace lanesort::cli {
namespace {
Format format_by_name(const Options& options) {
  if (options.format != Format::automatic) return options.format;
  if (options.output.ends_with(".npy")) return Format::npy;
  if (options.output.ends_with(".json")) return Format::json;
  return options.output.ends_with(".txt") || options.output.ends_with(".text") ? Format::text : Format::raw;
}

void write_numbers(io::Output& output, const bench::PatternSpec& spec, const io::Buffer& keys, bool json,
                   io::Meter* meter) {
  const std::uint32_t width = lanesort_dtype_bytes(spec.dtype);
  write_list(output, spec.count, json, meter, [&](std::uint64_t i) {
    std::string number = key_text(spec.dtype, keys.data() + i * width);
    if (json && number.find_first_of("ni") != std::string::npos)
      throw io::Failure("JSON has no " + number + "; write text or .npy");
    return number;
  });
}
}  // namespace

int gen_command(const Options& options) {
  const bench::PatternSpec spec = bench::parse_pattern_spec(options.spec);
  const Format format = format_by_name(options);
  const std::uint64_t width = lanesort_dtype_bytes(spec.dtype);
  if (spec.count > INT64_MAX / width) throw Usage(options.spec + ": more than 2^63 - 1 bytes");
  const bool binary = format == Format::raw || format == Format::npy;
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
    write_numbers(output, spec, keys, format == Format::json, meter);
  }
  output.commit();
  report.finish();
  return kGood;
}

}  // namespace lanesort::cli
