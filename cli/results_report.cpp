// report: results files in, one page out, or its charts one by one.
#include <cstdio>
#include <filesystem>

#include "bench/report/page.hpp"
#include "bench/report/read.hpp"
#include "commands.hpp"
#include "io/failure.hpp"
#include "io/output.hpp"
#include "status.hpp"

namespace lanesort::cli {
namespace {
constexpr std::uint64_t kMostFileBytes = std::uint64_t{64} << 20;
constexpr std::size_t kMostFiles = 1000;

std::vector<bench::ResultsFile> read_files(const std::vector<std::string>& paths) {
  if (paths.size() > kMostFiles)
    throw Usage(std::to_string(paths.size()) + " results files are more than one page holds, which is " +
                std::to_string(kMostFiles) + "; make several");
  std::vector<bench::ResultsFile> files;
  for (const std::string& path : paths) {
    io::Input input(path);
    const io::Buffer text = input.read_rest(kMostFileBytes);
    files.push_back({path == "-" ? "standard input" : path, bench::read_results(text.text(), path)});
  }
  return files;
}

void write_file(const std::string& path, const std::string& text) {
  io::Output output(path, text.size(), false);
  output.write(text);
  output.commit();
}

void write_charts(const std::vector<bench::ResultsFile>& files, const std::string& folder, bool quiet) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw io::Failure(folder + ": cannot be made a folder: " + error.message() + "; name one that can be written");
  for (const bench::Figure& figure : bench::make_figures(files)) {
    const std::string path = folder + "/" + figure.slug + ".svg";
    write_file(path, bench::svg_document(figure));
    if (!quiet) std::fprintf(stderr, "lanesort: wrote %s\n", io::printable(path).c_str());
  }
}
}  // namespace

int results_report_command(const Options& options) {
  const std::vector<bench::ResultsFile> files = read_files(options.inputs);
  if (!options.svg_folder.empty()) write_charts(files, options.svg_folder, options.quiet);
  if (options.svg_folder.empty() || options.output != "-") write_file(options.output, bench::make_page(files));
  return kGood;
}

}  // namespace lanesort::cli
