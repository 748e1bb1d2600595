// Files sorted into runs: one commit on one machine, however many files it filled. A machine is a device with its
// driver, instruction set and number of threads. Files that hold the same case twice are runs of their own.
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "bench/harness.hpp"

namespace lanesort::bench {

struct ResultsFile {
  std::string name;
  BenchReport report;
};

struct Entry {
  const Row* row;
  const Environment* environment;  // of its own file
};

struct Run {
  std::string label;  // A, B, ...
  std::string commit;
  std::size_t machine;             // runs of one number may stand in one chart
  bool software;                   // a GPU's driver that is none: no time of it is shown
  const Environment* environment;  // of the first file
  std::vector<std::string> files, notes;
  std::vector<Entry> entries;
  std::vector<const BenchReport*> reports;
};

// They point into the files.
std::vector<Run> make_runs(const std::vector<ResultsFile>& files);

bool is_software(const Environment& environment);
std::string machine_words(const Environment& environment);  // "NVIDIA H200", "Intel Xeon, 2 threads"

// What was sorted, whoever did: rows of one case can be compared.
std::string case_of(const Row& row);
std::string kind_words(
    const Row& row);  // "sort u32 + 4 bytes", what a chart has for title; bits, order and form if unusual
std::string case_words(const Row& row);  // "sort u32, 2²⁴ uniform"
std::string bits_words(const Row& row);

// Arrays of the host that a device sorts, by the wall clock. Their bound is the link, and they stand in no chart but that
// of transfers.
bool on_host(const Row& row);
// A rival that sorts nothing and says what cannot be passed: the link alone. Nobody loses to it.
bool is_limit(const Rival& rival);

// "uniform, k 10, rows 100" is the pattern "uniform" and the variant "k 10, rows 100".
std::string pattern_of(const Row& row);
std::string variant_of(const Row& row);

// Bytes that one pass over the row's work reads and writes at least, and that over the file's copy speed over the time:
// the share of the traffic bound; 0: not known.
double pass_bytes(const Row& row);
double copy_share(const Entry& entry, const Timing& timing);
double key_bytes(const Row& row);  // 0: an unknown type

}  // namespace lanesort::bench
