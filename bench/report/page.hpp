// The whole report: one HTML file that needs nothing else, or its charts one by one.
#pragma once
#include <string>
#include <vector>

#include "bench/report/runs.hpp"
#include "bench/report/svg.hpp"

namespace lanesort::bench {

inline constexpr std::size_t kMostPageBytes = 1'000'000;

std::string make_page(const std::vector<ResultsFile>& files);
std::vector<Figure> make_figures(const std::vector<ResultsFile>& files);

}  // namespace lanesort::bench
