// Any text as a results file: read or refused in words; what is read is written back the same, and makes a page below its
// size in which no element is of the file's making.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "bench/report/page.hpp"
#include "bench/report/read.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lanesort::bench;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const BenchReport report = read_results(text, "file");
    const std::string written = results_json(report);
    if (results_json(read_results(written, "file")) != written) std::abort();
    const std::string page = make_page({{"file", report}, {"again", report}});
    if (page.size() >= kMostPageBytes) std::abort();
    if (page.find("<script>") != page.rfind("<script>")) std::abort();
  } catch (const Error&) {}
  return 0;
}
