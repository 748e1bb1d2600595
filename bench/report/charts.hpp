// The charts of a report, each made of runs. Invariant: only what was verified is drawn, and nothing of a software GPU.
#pragma once
#include <string>
#include <vector>

#include "bench/report/runs.hpp"
#include "bench/report/svg.hpp"

namespace lanesort::bench {

struct ChartSet {
  const std::vector<Run>& runs;
  Looks looks;
};

std::vector<Figure> throughput_charts(ChartSet& set);  // over the number of keys, uniform, where there are two sizes
std::vector<Figure> one_size_charts(ChartSet& set);    // uniform, where there is one
std::vector<Figure> pattern_charts(ChartSet& set);
std::vector<Figure> segment_charts(ChartSet& set);
std::vector<Figure> top_k_charts(ChartSet& set);
std::vector<Figure> transfer_charts(ChartSet& set);  // by the device's clock, and by the host's around the whole call
std::vector<Figure> ladder_charts(ChartSet& set);
std::vector<Figure> heat_maps(const std::vector<Run>& runs);
std::vector<Figure> rooflines(ChartSet& set);

// Shared by the files of charts.

// One sorter's time in one row, drawable.
struct Drawn {
  const Run* run;
  const Entry* entry;
  std::string name;
  std::size_t look;
  Measured measured;  // x not set
  bool ours;
  double bound_s;
};

std::vector<Drawn> drawn_of(ChartSet& set, const Run& run, const Entry& entry);
Measured measured_of(const std::string& name, const Row& row, const Timing& timing);
std::string run_words(const Run& run);  // "NVIDIA H200 · A 1608c4cd03fb"
std::string slug_of(const std::string& words);

// A line for each key, in it the marks of all who sorted that; lines in the order given.
struct DotLine {
  std::string label;
  std::vector<Drawn> drawn;
};
Figure dot_chart(const std::string& title, const std::string& where, const std::string& caption,
                 const std::vector<DotLine>& lines);

}  // namespace lanesort::bench
