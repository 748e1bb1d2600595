// What a climb shows beside its table, as lines of text.
#pragma once
#include <string>
#include <vector>

#include "bench/ladder/cuda/climb.hpp"

namespace lanesort::bench::device {

std::vector<std::string> variant_lines(const Climbed& climbed);
std::vector<std::string> crossover_lines(const Climbed& climbed);   // of each rung with std::sort and with our CPU engine
std::vector<std::string> comparison_lines(const Climbed& climbed);  // pairs of rungs that people ask for
std::vector<std::string> left_out_lines(const Climbed& climbed);    // a line a rung and dtype

}  // namespace lanesort::bench::device
