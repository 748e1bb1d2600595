// The harness: lanesort and its rivals, timed in turn in one process on the same input, and what came of it as values.
// Invariant: no time is shown for a result that was not verified. Every sample gets fresh input; copying it, memory
// and set-up are outside the clock, which for a GPU is its own; medians and quartiles, never the best. Stopping on noise rather than on a count is
// nvbench's idea, the table hyperfine's.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/gpu.hpp"
#include "bench/patterns.hpp"
#include "bench/rivals/rival.hpp"

namespace lanesort::bench {

enum class Form { in_place, src_dst };

struct BenchOptions {
  lanesort_operation op = LANESORT_OP_SORT;
  std::uint64_t k = 0;  // top_k
  bool by_comparator = false;  // sort_pairs: records through lanesort/merge.hpp, as rivals sort them
  lanesort_dtype dtype = LANESORT_U32;
  std::uint32_t value_bytes = 0;  // 0: the operation's usual (sort and top_k 0, sort_pairs 4, argsort 4; merge.hpp's records 24)
  std::vector<std::uint64_t> counts = {10'000'000};
  std::string pattern = "uniform";
  std::string segments;  // sorted each by itself: see make_offsets(); empty: one, the whole
  std::uint64_t seed = kDefaultSeed;
  lanesort_order order = LANESORT_ASCENDING;
  std::uint32_t bit_begin = 0, bit_end = LANESORT_ALL_BITS;
  const Gpu* gpu = nullptr;  // what sorts, and outlives the run; NULL: the CPU
  std::uint32_t threads = 0;       // 0: all
  Form form = Form::in_place;   // argsort knows only src_dst, and is reported so
  std::string rivals;  // "": none; "*": all that are installed; else those whose names begin so
  std::vector<RivalEntry> entries;  // the caller's own, beside them: rungs of the ladder
  double seconds_per_contender = 3.0;                // measured time after which a contender is done, noisy or not
  std::function<void(const std::string&)> progress;  // one short line as work goes on; may be empty
};

struct Timing {
  double median_s = 0, q1_s = 0, q3_s = 0;
  std::uint32_t samples = 0;
};

struct Rival {
  std::string name, version;
  Timing timing;  // zero where not verified
  bool verified = false;
  std::string fault;  // why not
  double bound_s = 0;  // what the bytes that it moves take at copy speed; 0: not known
};

// One case: ours and the rivals.
struct Row {
  std::string backend, op, key;
  std::uint32_t value_bytes = 0;
  std::uint64_t count = 0;
  std::string pattern, order, form, engine;
  std::uint32_t bit_begin = 0, bit_end = LANESORT_ALL_BITS;
  Timing timing;
  double keys_per_s = 0;
  double copy_share = 0;  // one read and one write of the records at copy speed, over the median; 0: not known
  bool verified = false;
  std::string fault;
  std::vector<Rival> rivals;
  std::optional<std::uint64_t> scratch_bytes;  // that lanesort asks for; none: not known
  Timing call;  // on a GPU: the whole call by the host's clock, transfers and all; no samples: not measured
};

// What a rung of the ladder says of itself (bench/ladder/rung.hpp).
struct RungText {
  std::string name, idea, time, space, traffic, launches, limits, source;
};

struct Environment {
  std::string device, driver, compiler, commit, date, isa;
  std::uint32_t threads = 0;
  double copy_bytes_per_s = 0;  // memcpy by as many threads, bytes read and bytes written both counted; 0: not measured
  double load_average = 0;      // before the first sample
  bool device_clock = false;    // times are the device's own, from its first kernel to the end of its last
};

struct BenchReport {
  Environment environment;
  std::vector<Row> rows;
  std::vector<std::string> notes;  // for the reader: a busy machine, rivals that are not there
  std::vector<RungText> rungs;     // of a ladder: those of the rivals that are rungs, in its order
};

// True if lanesort's own result was verified in every row.
bool all_verified(const BenchReport& report);

// Measures every count. Throws Error for a wrong request, std::bad_alloc when memory is short.
BenchReport run(const BenchOptions& options);

// The table, losses first. colour: whether escapes may be used.
void print_table(const BenchReport& report, std::FILE* to, bool colour = false);

// The results file, schema 1, every field in every row, with a final newline.
std::string results_json(const BenchReport& report);

// For programs that have no io::Output. Throws Error.
inline void write_json(const BenchReport& report, const std::string& path) {
  std::FILE* const file = path == "-" ? stdout : std::fopen(path.c_str(), "w");
  const std::string text = results_json(report);
  const bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file == nullptr || (file == stdout ? std::fflush(file) : std::fclose(file)) != 0 || !written)
    throw Error("cannot write " + path);
}

}  // namespace lanesort::bench
