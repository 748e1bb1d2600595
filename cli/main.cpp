// lanesort, the command line. Turns every way to end into an exit status; see status.hpp.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "commands.hpp"
#include "io/failure.hpp"
#include "io/output.hpp"
#include "status.hpp"
#include "trace/phase.hpp"

namespace lanesort::cli {
namespace {
int run_command(const Options& options) {
  switch (options.command) {
    case Command::sort:
      return sort_command(options);
    case Command::argsort:
      return argsort_command(options);
    case Command::merge:
      return merge_command(options);
    case Command::topk:
      return topk_command(options);
    case Command::check:
      return check_command(options);
    case Command::verify:
      return verify_command(options);
    case Command::gen:
      return gen_command(options);
    case Command::bench:
      return bench_command(options);
    case Command::report:
      return results_report_command(options);
    case Command::info:
      return info_command(options);
    case Command::doctor:
      return doctor_command(options);
  }
  return kTrouble;
}

// A file that is opened where a closed standard stream was would get what is meant for the stream. Opened for the wrong
// direction, so that whoever uses the stream still fails (as GNU's stdopen).
void occupy_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

// Somebody who forgot the file would wait for us, and we for them.
void tell_of_terminal(const Options& options) {
  const bool reads = options.command == Command::sort || options.command == Command::argsort || options.command == Command::topk || options.command == Command::check;
  if (reads && !options.input_named && !options.quiet && isatty(STDIN_FILENO))
    std::fputs("lanesort: reading numbers from the terminal, one a line, up to Ctrl-D\n", stderr);
}

// Messages have lines, and whatever else controls a terminal came with somebody's file name.
int complain(std::string_view words, int status) {
  const auto line = words.substr(0, words.find('\n'));
  std::string shown = io::printable(line);
  for (auto rest = words.substr(line.size()); !rest.empty();) {
    const auto next = rest.substr(1, rest.find('\n', 1) - 1);
    (shown += '\n') += io::printable(next);
    rest.remove_prefix(1 + next.size());
  }
  std::fprintf(stderr, "lanesort: %s\n", shown.c_str());
  return status;
}

// Before the first phase.
void turn_marks_on(const Options& options) {
  if (!options.nvtx) return;
  if (!trace::kBuilt)
    throw Usage(
        "--nvtx: this program was built without NVTX; build it where the CUDA toolkit's nvtx3/nvToolsExt.h is found");
  setenv(trace::kVariable, "1", 1);
}

int main_program(int argc, const char* const* argv) {
  occupy_standard_streams();
  io::install_signal_handlers();
  try {
    const Parsed parsed = parse_options(argc, argv, isatty(STDIN_FILENO) != 0);
    std::fputs(parsed.text.c_str(), parsed.exit_status == kGood ? stdout : stderr);
    if (!parsed.exit_status) tell_of_terminal(parsed.options);
    turn_marks_on(parsed.options);
    const int status = parsed.exit_status ? *parsed.exit_status : run_command(parsed.options);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return complain("standard output: cannot be written", kTrouble);
    return status;
  } catch (const DeviceMissing& missing) {
    return complain(missing.what(), kNoDevice);
  } catch (const io::BrokenPipe&) {
    return kTrouble;
  } catch (const Usage& usage) {
    complain(usage.what(), kTrouble);
    return complain("try 'lanesort --help'", kTrouble);
  } catch (const std::bad_alloc&) {
    return complain("out of memory; free some, raise the limit (ulimit -v), or sort less at once", kTrouble);
  } catch (const std::exception& trouble) {
    return complain(trouble.what(), kTrouble);
  }
}
}  // namespace
}  // namespace lanesort::cli

int main(int argc, char** argv) { return lanesort::cli::main_program(argc, argv); }
