// What the user asked for, as a value. Invariant: a parsed Options is consistent in itself (names resolved, ranges
// checked); what depends on the files is checked by the commands.
#pragma once
#include <lanesort/lanesort.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace lanesort::cli {

enum class Command { sort, argsort, merge, topk, check, verify, gen, bench, report, info, doctor };
enum class Format { automatic, raw, npy, text, json };
enum class Colour { automatic, always, never };  // automatic: on a terminal, unless NO_COLOR or TERM=dumb say otherwise

struct Options {
  Command command = Command::sort;
  std::string input = "-";
  std::vector<std::string> inputs;  // merge, report: all of them
  std::string svg_folder;           // report: where single charts go; empty: nowhere
  bool input_named = false;  // a - was written, or a name
  std::string second_input;  // verify: the output that is looked at
  std::string output = "-";
  std::vector<std::string> values;      // files that travel with the keys
  std::vector<std::string> values_out;  // where they go, one each; empty: a name made from theirs
  Format format = Format::automatic;
  std::optional<lanesort_dtype> dtype;
  std::optional<lanesort_dtype> raw_dtype;  // verify: what raw data hold where neither --dtype nor suffix says it
  std::string device = "auto";
  lanesort_order order = LANESORT_ASCENDING;
  lanesort_float_order float_order = LANESORT_FLOAT_NUMERIC;
  std::uint32_t bit_begin = 0;
  std::uint32_t bit_end = LANESORT_ALL_BITS;
  std::uint64_t k = 0;            // topk
  std::string indices_out;        // topk: where the places go; empty: nowhere
  std::uint32_t index_bytes = 0;  // 0: 4 where the count fits
  std::string segments;        // sort, argsort: N items each, or a file of offsets; empty: none
  bool local_indices = false;  // argsort: indices count from the begin of their segment
  std::vector<std::uint64_t> segment_offsets;  // one more than segments, filled in when the keys are known; empty: none
  std::uint64_t memory_limit_bytes = UINT64_MAX;
  std::uint64_t gpu_memory_bytes = 0;  // 0: as much as is free
  std::uint32_t threads = 0;    // 0: all
  bool judges_indices = false;  // verify: the output is what argsort made
  bool unique = false;          // sort: the first of equal keys only
  bool silent_check = false;
  Colour colour = Colour::automatic;
  bool json = false, stats = false, quiet = false, nvtx = false, verbose = false, dry_run = false;

  std::string spec;  // gen
  struct Bench {
    std::string op = "sort", dtype, pattern = "uniform", json_file, rivals;
    std::uint32_t value_bytes = 0;
    std::uint64_t seed = 1, k = 0;
    std::optional<std::string> counts;  // none: 1e7, or the ladder's
    bool src_dst = false, ladder = false;
    std::string tune;      // "": no; "*": all shapes; else some, as in 256x8,512x12
    std::optional<double> budget_s;  // none: 3 for a contender, 10 for a rung of the ladder
  } bench;

  bool coloured(std::FILE* to) const;
  bool whole_key() const { return bit_begin == 0 && bit_end == LANESORT_ALL_BITS; }
};

// The options; or, where there is nothing left to do, the exit status and a text to print first: help or version on
// standard output with 0, what is wrong with the usage on standard error with others. Throws Usage.
struct Parsed {
  Options options;
  std::optional<int> exit_status;
  std::string text;
};
Parsed parse_options(int argc, const char* const* argv, bool input_is_terminal);

// The pieces of option text with a grammar of their own. They throw Usage.
std::uint64_t parse_memory_size(
    const std::string& text, const char* option = "-S");  // as GNU sort -S: K by default; b K M G T P E %, all powers of 1024, also m and MiB
void parse_bit_range(const std::string& text, std::uint32_t& begin, std::uint32_t& end);
lanesort_dtype parse_dtype(const std::string& text);

// What --device takes, but for the number behind a colon.
std::vector<std::string> device_names();

}  // namespace lanesort::cli
