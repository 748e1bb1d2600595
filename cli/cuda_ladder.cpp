// bench --ladder --device cuda: the rungs on a CUDA device need the toolkit's runtime and CUB, which this program has not,
// so they are a program of their own. It is looked for where LANESORT_LADDER_CUDA says, then beside this one.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "commands.hpp"
#include "status.hpp"

namespace lanesort::cli {
namespace {

constexpr char kName[] = "lanesort_ladder_cuda";

std::string place_of_program() {
  if (const char* const told = std::getenv("LANESORT_LADDER_CUDA"); told != nullptr && *told != '\0') return told;
  std::error_code ignored;
  const std::filesystem::path beside =
      std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / kName;
  if (access(beside.c_str(), X_OK) == 0) return beside;
  throw Usage(std::string("--ladder --device cuda runs ") + kName + ", which is not beside this program; " +
              "cmake --build BUILD --target " + kName + " makes it, and LANESORT_LADDER_CUDA may say where it is");
}

std::vector<std::string> words_for(const Options& options) {
  const Options::Bench& bench = options.bench;
  std::vector<std::string> words{"--pattern", bench.pattern, "--seed", std::to_string(bench.seed)};
  if (bench.budget_s) words.insert(words.end(), {"--budget", std::to_string(*bench.budget_s)});
  if (bench.counts) words.insert(words.end(), {"--count", *bench.counts});
  if (!bench.dtype.empty()) words.insert(words.end(), {"--dtype", bench.dtype});
  if (!bench.json_file.empty()) words.insert(words.end(), {"--json", bench.json_file});
  if (options.quiet) words.push_back("--quiet");
  return words;
}

}  // namespace

// Becomes that program.
void run_cuda_ladder(const Options& options) {
  const std::string place = place_of_program();
  std::vector<std::string> words = words_for(options);
  std::vector<char*> arguments{const_cast<char*>(place.c_str())};
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(place.c_str(), arguments.data());
  throw Usage("cannot run " + place + ": " + std::strerror(errno));
}

}  // namespace lanesort::cli
