// check: is the file sorted? Reads it in pieces, so it takes no more memory for a large file than for a small one.
#include <algorithm>
#include <cstring>

#include "commands.hpp"
#include "engine.hpp"
#include "io/failure.hpp"
#include "key_text.hpp"
#include "report.hpp"
#include "status.hpp"

namespace lanesort::cli {
namespace {
constexpr std::uint64_t kPieceBytes = std::uint64_t{16} << 20;

struct Finding {
  std::uint64_t count = 0;     // items looked at
  std::uint64_t offender = 0;  // count if there is none
  std::string offender_text;
};

std::uint64_t first_offender(const Options& options, lanesort_dtype dtype, const std::byte* keys, std::uint64_t count) {
  lanesort_sort_desc desc = describe(options, dtype, count);
  desc.keys_src = keys;
  std::uint64_t offender = 0;
  if (lanesort_is_sorted(&desc, &offender) != LANESORT_OK) throw io::Failure(lanesort_last_error());
  return offender;
}

void prepare(const Source& source, const Options& options, std::span<std::byte> keys) {
  if (source.npy && source.npy->big_endian) swap_bytes(keys, source.item_bytes);
  if (wants_time_shift(source, options)) shift_times(keys, -1);
}

Finding look(Source& source, const Options& options, io::Meter* meter) {
  const std::uint64_t width = source.item_bytes;
  io::Buffer buffer(kPieceBytes + width);
  Finding finding;
  std::uint64_t carried = 0;  // 1 once the last key of the piece before stands in front
  for (;;) {
    std::uint64_t wanted = kPieceBytes / width * width;
    if (source.npy) wanted = std::min(wanted, (*source.count - finding.count) * width);
    const auto fresh =
        buffer.bytes().subspan(static_cast<std::size_t>(carried * width), static_cast<std::size_t>(wanted));
    const std::size_t got = wanted == 0 ? 0 : source.input.read_some(fresh, meter);
    if (got % width != 0 || (source.npy && got != wanted)) {
      throw io::Failure(source.name() + ": ends in the middle: " + std::to_string(finding.count * width + got) +
                        " bytes of data were read" +
                        (source.npy ? " and " + std::to_string(*source.data_bytes) + " expected"
                                    : "; " + std::to_string(got % width) + " left over"));
    }
    if (got == 0) break;
    prepare(source, options, fresh.first(got));
    const std::uint64_t count = carried + got / width;
    const std::uint64_t offender = first_offender(options, source.dtype, buffer.data(), count);
    if (offender != count) {
      finding.offender = finding.count - carried + offender;
      std::byte* key = buffer.data() + offender * width;
      if (wants_time_shift(source, options)) shift_times({key, static_cast<std::size_t>(width)}, 1);
      finding.offender_text = key_text(source.dtype, key);
      finding.count += got / width;
      return finding;
    }
    finding.count += got / width;
    carried = 1;
    std::memmove(buffer.data(), buffer.data() + (count - 1) * width, static_cast<std::size_t>(width));
  }
  if (source.npy) source.input.expect_end("the data");
  finding.offender = finding.count;
  return finding;
}
}  // namespace

int check_command(const Options& options) {
  require_device(options);
  Report report(options, "check");
  report.begin("read", 0);  // a pipe may make us wait right here
  Source source = open_keys(options.input, options);
  if (!source.is_binary()) return check_text(options, source, report);
  expect_memory(options, kPieceBytes);
  if (options.dry_run) return report.add("memory_bytes", kPieceBytes), report.print_result(), kGood;
  const Finding finding = look(source, options, report.begin("read", source.data_bytes.value_or(0)));
  const bool sorted = finding.offender_text.empty();
  report.add("input", source.name());
  report.add("dtype", std::string(lanesort_dtype_name(source.dtype)));
  report.add("sorted", sorted);
  if (!sorted) report.add("first_offender", finding.offender);
  report.finish();
  if (sorted) return kGood;
  if (!options.silent_check) {
    std::fprintf(stderr, "lanesort: %s:%llu: disorder: %s\n", source.name().c_str(),
                 static_cast<unsigned long long>(finding.offender + 1), finding.offender_text.c_str());
  }
  return kSaysNo;
}

}  // namespace lanesort::cli
