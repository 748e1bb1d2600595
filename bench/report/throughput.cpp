// Throughput over the number of keys, both logarithmic: a line each, and about it the quartiles.
#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "bench/report/charts.hpp"
#include "bench/report/words.hpp"

namespace lanesort::bench {
namespace {

constexpr double kWidth = 400, kLeft = 54, kRight = 390, kTop = 12, kBottom = 236;

// What is drawn in one chart.
struct Panel {
  std::size_t machine;
  std::string kind;
  std::vector<Series> series;
  std::set<std::uint64_t> counts;
  std::vector<std::string> runs;
};

bool plain(const Row& row) { return row.pattern == "uniform" && row.op != "top_k" && !on_host(row); }

Series& series_of(Panel& panel, const Drawn& drawn) {
  for (Series& series : panel.series)
    if (series.name == drawn.name) return series;
  return panel.series.emplace_back(Series{drawn.name, drawn.look, {}});
}

// A rival that several runs measured stands there once, as the first of them saw it.
void add(Panel& panel, const Drawn& drawn) {
  Series& series = series_of(panel, drawn);
  Measured point = drawn.measured;
  point.x = static_cast<double>(drawn.entry->row->count);
  const auto there = [&](const Measured& other) { return other.x == point.x; };
  if (std::any_of(series.points.begin(), series.points.end(), there)) return;
  series.points.push_back(point);
  panel.counts.insert(drawn.entry->row->count);
}

std::vector<Panel> make_panels(ChartSet& set) {
  std::vector<Panel> panels;
  for (const Run& run : set.runs) {
    for (const Entry& entry : run.entries) {
      if (!plain(*entry.row)) continue;
      const std::string kind = kind_words(*entry.row) + (entry.row->backend == "cpu" ? "" : ", " + entry.row->backend);
      for (const Drawn& drawn : drawn_of(set, run, entry)) {
        if (drawn.name.find(": ") != std::string::npos) continue;  // a rung's variants: the table has them
        auto at = std::find_if(panels.begin(), panels.end(),
                               [&](const Panel& p) { return p.machine == run.machine && p.kind == kind; });
        if (at == panels.end()) at = panels.insert(at, Panel{run.machine, kind, {}, {}, {}});
        add(*at, drawn);
        if (std::find(at->runs.begin(), at->runs.end(), run.label) == at->runs.end()) at->runs.push_back(run.label);
      }
    }
  }
  for (Panel& panel : panels) {
    for (Series& series : panel.series)
      std::sort(series.points.begin(), series.points.end(),
                [](const Measured& a, const Measured& b) { return a.x < b.x; });
    // As the lines end on the right, from the top.
    std::stable_sort(panel.series.begin(), panel.series.end(),
                     [](const Series& a, const Series& b) { return a.points.back().rate > b.points.back().rate; });
  }
  return panels;
}

void draw_axes(Markup& to, const LogScale& x, const LogScale& y, bool powers_of_two) {
  for (const Tick& tick : rate_ticks(y.low(), y.high())) {
    draw_line(to, tick.label.empty() ? "faint" : "grid", kLeft, y.at(tick.value), kRight, y.at(tick.value));
    if (!tick.label.empty()) draw_text(to, "tick", kLeft - 6, y.at(tick.value) + 3.5, "end", tick.label);
  }
  for (const Tick& tick : count_ticks(x.low(), x.high(), powers_of_two)) {
    draw_line(to, tick.label.empty() ? "faint" : "grid", x.at(tick.value), kTop, x.at(tick.value), kBottom);
    if (!tick.label.empty()) draw_text(to, "tick", x.at(tick.value), kBottom + 16, "middle", tick.label);
  }
  draw_line(to, "axis", kLeft, kBottom, kRight, kBottom);
  draw_text(to, "tick", kRight, kBottom + 31, "end", "keys");
}

void draw_series(Markup& to, const Series& series, const LogScale& x, const LogScale& y) {
  to << "<g class=\"" << colour_of(series.look) << "\">";
  if (series.points.size() > 1) {
    to << "<path class=\"band\" d=\"";
    const char* command = "M";
    for (const Measured& p : series.points)
      to << std::string_view(std::exchange(command, "L")) << x.at(p.x) << " " << y.at(p.high);
    for (auto p = series.points.rbegin(); p != series.points.rend(); ++p)
      to << "L" << x.at(p->x) << " " << y.at(p->low);
    to << "Z\"/><path class=\"" << std::string_view(series.look == 0 ? "line ours" : "line") << "\" d=\"";
    command = "M";
    for (const Measured& p : series.points)
      to << std::string_view(std::exchange(command, "L")) << x.at(p.x) << " " << y.at(p.rate);
    to << "\"/>";
  }
  to << "<g class=\"mark\">";
  for (const Measured& p : series.points) {
    draw_line(to, "whisker", x.at(p.x), y.at(p.low), x.at(p.x), y.at(p.high));
    draw_mark(to, series.look, x.at(p.x), y.at(p.rate), p.told);
  }
  to << "</g></g>";
}

Figure draw(const Panel& panel, const ChartSet& set) {
  double low = 1e300, high = 0;
  for (const Series& series : panel.series)
    for (const Measured& p : series.points) low = std::min(low, p.low), high = std::max(high, p.high);
  const LogScale x(static_cast<double>(*panel.counts.begin()), static_cast<double>(*panel.counts.rbegin()), kLeft + 10,
                   kRight - 10);
  const LogScale y(low / 1.15, high * 1.15, kBottom, kTop);
  Figure figure;
  const std::string machine = machine_words(*set.runs[panel.machine].environment);
  figure.title = panel.kind;
  figure.where = machine;
  figure.slug = slug_of("throughput " + panel.kind + " " + machine);
  figure.caption = "Keys a second over the number of keys, uniform, medians; the quartiles shaded.";
  if (panel.runs.size() > 1) {
    figure.caption += " Runs ";
    for (const std::string& run : panel.runs) figure.caption += (&run == panel.runs.data() ? "" : ", ") + run;
    figure.caption += "; rivals as the first that has them saw them.";
  }
  const auto powers =
      std::count_if(panel.counts.begin(), panel.counts.end(), [](std::uint64_t n) { return std::has_single_bit(n); });
  const bool powers_of_two = 2 * static_cast<std::size_t>(powers) >= panel.counts.size();
  draw_axes(figure.drawing, x, y, powers_of_two);
  for (auto series = panel.series.rbegin(); series != panel.series.rend(); ++series)
    if (!series->name.starts_with("lanesort")) draw_series(figure.drawing, *series, x, y);
  for (auto series = panel.series.rbegin(); series != panel.series.rend(); ++series)
    if (series->name.starts_with("lanesort")) draw_series(figure.drawing, *series, x, y);  // on top
  figure.width = kWidth;
  figure.height = draw_legend(figure.drawing, panel.series, kLeft, kBottom + 36, kRight - kLeft);
  return figure;
}

}  // namespace

std::vector<Figure> throughput_charts(ChartSet& set) {
  std::vector<Figure> figures;
  for (const Panel& panel : make_panels(set))
    if (panel.counts.size() > 1) figures.push_back(draw(panel, set));
  return figures;
}

std::vector<Figure> one_size_charts(ChartSet& set) {
  std::vector<Figure> figures;
  const std::vector<Panel> panels = make_panels(set);
  for (std::size_t r = 0; r < set.runs.size(); ++r) {
    std::vector<DotLine> lines;
    for (const Entry& entry : set.runs[r].entries) {
      if (!plain(*entry.row)) continue;
      const std::string kind = kind_words(*entry.row) + (entry.row->backend == "cpu" ? "" : ", " + entry.row->backend);
      const auto panel = std::find_if(panels.begin(), panels.end(), [&](const Panel& p) {
        return p.machine == set.runs[r].machine && p.kind == kind;
      });
      if (panel == panels.end() || panel->counts.size() != 1) continue;
      lines.push_back({kind + ", " + count_words(entry.row->count), drawn_of(set, set.runs[r], entry)});
    }
    if (lines.empty()) continue;
    const std::string words = run_words(set.runs[r]);
    figures.push_back(dot_chart("At one size", words, "Keys a second, uniform, medians and quartiles.", lines));
    figures.back().slug = slug_of("one size " + words);
  }
  return figures;
}

}  // namespace lanesort::bench
