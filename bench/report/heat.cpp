// Heat maps: what share of the traffic bound, one read and one write of the records at the machine's copy speed, is
// reached for each kind of key and number of keys.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "bench/report/charts.hpp"
#include "bench/report/words.hpp"

namespace lanesort::bench {
namespace {

constexpr double kCellWidth = 46, kCellHeight = 24, kTop = 6, kLetter = 6.1;

struct Colour {
  double r, g, b;
};

// Dark blue over grey to yellow: the steps differ in lightness, so that they are told apart without colour too.
Colour heat(double share) {
  constexpr std::array<Colour, 5> kSteps{
      {{0, 34, 78}, {60, 77, 110}, {124, 123, 120}, {187, 173, 108}, {254, 231, 76}}};
  const double place =
      std::clamp((std::log10(std::max(share, 1e-9)) + 2) / 2, 0.0, 1.0) * (kSteps.size() - 1);  // 1 to 100 %
  const auto below = std::min(static_cast<std::size_t>(place), kSteps.size() - 2);
  const double t = place - static_cast<double>(below);
  const auto mix = [t](double a, double b) { return a + t * (b - a); };
  return {mix(kSteps[below].r, kSteps[below + 1].r), mix(kSteps[below].g, kSteps[below + 1].g),
          mix(kSteps[below].b, kSteps[below + 1].b)};
}

void draw_cell(Markup& to, double x, double y, double share, const std::string& told) {
  const Colour c = heat(share);
  const bool dark = 0.299 * c.r + 0.587 * c.g + 0.114 * c.b < 120;
  to << "<g><title>" << told << "</title><rect x=\"" << x << "\" y=\"" << y << "\" width=\"" << kCellWidth - 2
     << "\" height=\"" << kCellHeight - 2 << "\" rx=\"3\" fill=\"rgb(" << std::round(c.r) << "," << std::round(c.g)
     << "," << std::round(c.b) << ")\"/>";
  draw_text(to, dark ? "on-dark" : "on-light", x + kCellWidth / 2 - 1, y + kCellHeight / 2 + 3, "middle",
            share < 0.001 ? "<0.1" : significant(100 * share, share < 0.1 ? 2 : 3));
  to << "</g>";
}

struct Cell {
  std::string kind;
  std::uint64_t count;
  double share;
  std::string told;
};

std::vector<Cell> cells_of(const Run& run) {
  std::vector<Cell> cells;
  for (const Entry& entry : run.entries) {
    const Row& row = *entry.row;
    const double share = copy_share(entry, row.timing);
    if (run.software || !row.verified || row.pattern != "uniform" || row.op == "top_k" || share <= 0) continue;
    cells.push_back({kind_words(row), row.count, share,
                     case_words(row) + ": " + percent_words(share) + " of the traffic bound, " +
                         duration_words(row.timing.median_s) + ", verified"});
  }
  return cells;
}

Figure draw(const Run& run, const std::vector<Cell>& cells) {
  std::vector<std::string> kinds;
  std::set<std::uint64_t> counts;
  std::size_t longest = 0;
  for (const Cell& cell : cells) {
    if (std::find(kinds.begin(), kinds.end(), cell.kind) == kinds.end()) kinds.push_back(cell.kind);
    counts.insert(cell.count);
    longest = std::max(longest, cell.kind.size());
  }
  const double left = kLetter * static_cast<double>(longest) + 12;
  Figure figure;
  figure.title = "Share of the traffic bound, per cent";
  figure.where = run_words(run);
  figure.slug = slug_of("bound " + run_words(run));
  figure.caption = "Per cent of one read and one write of the records at this machine's copy speed, " +
                   bandwidth_words(run.environment->copy_bytes_per_s) +
                   "; uniform keys. Sizes in a cache can pass 100.";
  const double bottom = kTop + kCellHeight * static_cast<double>(kinds.size());
  for (std::size_t k = 0; k < kinds.size(); ++k)
    draw_text(figure.drawing, "label", left - 8, kTop + kCellHeight * static_cast<double>(k) + 15, "end", kinds[k]);
  double x = left;
  for (const std::uint64_t count : counts) {
    for (const Cell& cell : cells) {
      const auto k = std::find(kinds.begin(), kinds.end(), cell.kind) - kinds.begin();
      if (cell.count == count)
        draw_cell(figure.drawing, x, kTop + kCellHeight * static_cast<double>(k), cell.share, cell.told);
    }
    draw_text(figure.drawing, "tick", x + kCellWidth / 2 - 1, bottom + 14, "middle", count_words(count));
    x += kCellWidth;
  }
  figure.width = std::max(x + 8, 300.0);
  figure.height = bottom + 24;
  return figure;
}

}  // namespace

std::vector<Figure> heat_maps(const std::vector<Run>& runs) {
  std::vector<Figure> figures;
  for (const Run& run : runs) {
    const std::vector<Cell> cells = cells_of(run);
    if (cells.size() > 1) figures.push_back(draw(run, cells));
  }
  return figures;
}

}  // namespace lanesort::bench
