// Rooflines: keys a second over the bytes that a key moves in one pass. The roof is copying; the lines below it are as
// fast as two, four, eight passes would be. Each kind of key at its largest number of uniform keys.
#include <algorithm>
#include <cmath>

#include "bench/report/charts.hpp"
#include "bench/report/words.hpp"

namespace lanesort::bench {
namespace {

constexpr double kWidth = 400, kLeft = 54, kRight = 348, kTop = 14, kBottom = 286;

struct Roofed {
  double bytes;
  Drawn drawn;
};

std::vector<Roofed> points_of(ChartSet& set, const Run& run) {
  std::vector<const Entry*> largest;
  for (const Entry& entry : run.entries) {
    if (entry.row->pattern != "uniform" || entry.row->op == "top_k" || on_host(*entry.row) || !entry.row->verified ||
        pass_bytes(*entry.row) == 0 || entry.row->count == 0)
      continue;
    const auto same = [&](const Entry* other) { return kind_words(*other->row) == kind_words(*entry.row); };
    const auto at = std::find_if(largest.begin(), largest.end(), same);
    if (at == largest.end())
      largest.push_back(&entry);
    else if ((*at)->row->count < entry.row->count)
      *at = &entry;
  }
  std::vector<Roofed> points;
  for (const Entry* const entry : largest)
    for (Drawn& drawn : drawn_of(set, run, *entry))
      points.push_back({pass_bytes(*entry->row) / static_cast<double>(entry->row->count), std::move(drawn)});
  return points;
}

// Where x and y would leave the frame the line is cut.
void draw_roof(Markup& to, double speed, int passes, const LogScale& x, const LogScale& y) {
  const auto rate = [&](double bytes) { return speed / passes / bytes; };
  const double from = std::max(x.low(), speed / passes / y.high()), till = std::min(x.high(), speed / passes / y.low());
  if (from >= till) return;
  draw_line(to, passes == 1 ? "roof" : "under", x.at(from), y.at(rate(from)), x.at(till), y.at(rate(till)));
  if (till < x.high()) return;  // it leaves through the floor, where the words of the axis are
  draw_text(to, "tick", x.at(till) + 4, y.at(rate(till)) + 3.5, "start",
            passes == 1 ? "1 pass" : std::to_string(passes));
}

// The keys of our own marks, but for those that would lie over another's name.
void name_ours(Markup& to, const std::vector<Roofed>& points, const LogScale& x, const LogScale& y) {
  std::vector<std::pair<double, double>> taken;
  for (const Roofed& p : points) {
    const std::pair at(x.at(p.bytes) + 7, y.at(p.drawn.measured.rate) + 4);
    const auto close = [&](const auto& other) {
      return std::abs(other.first - at.first) < 20 && std::abs(other.second - at.second) < 10;
    };
    if (!p.drawn.ours || std::any_of(taken.begin(), taken.end(), close)) continue;
    taken.push_back(at);
    draw_text(to, "tick", at.first, at.second, "start", p.drawn.entry->row->key);
  }
}

Figure draw(const Run& run, const std::vector<Roofed>& points) {
  const double speed = run.environment->copy_bytes_per_s;
  double low = 1e300, high = 0, least = 1e300, most = 0;
  std::vector<Series> legend;
  for (const Roofed& p : points) {
    low = std::min(low, p.drawn.measured.low), high = std::max({high, p.drawn.measured.high, speed / p.bytes});
    least = std::min(least, p.bytes), most = std::max(most, p.bytes);
    const auto same = [&](const Series& s) { return s.name == p.drawn.name; };
    if (std::none_of(legend.begin(), legend.end(), same)) legend.push_back({p.drawn.name, p.drawn.look, {}});
  }
  const LogScale x(least / 1.4, most * 1.4, kLeft, kRight), y(low / 1.3, high * 1.3, kBottom, kTop);
  Figure figure;
  figure.title = "Roofline";
  figure.where = run_words(run);
  figure.slug = slug_of("roofline " + figure.where);
  figure.caption =
      "Keys a second over the bytes that a key moves in one pass, each kind of key at its largest number. The roof: "
      "one pass at copy speed, " +
      bandwidth_words(speed) + "; below it the speed of 2, 4, 8 ... passes.";
  Markup& to = figure.drawing;
  for (const Tick& tick : rate_ticks(y.low(), y.high())) {
    draw_line(to, tick.label.empty() ? "faint" : "grid", kLeft, y.at(tick.value), kRight, y.at(tick.value));
    if (!tick.label.empty()) draw_text(to, "tick", kLeft - 6, y.at(tick.value) + 3.5, "end", tick.label);
  }
  for (double bytes = 1; bytes < x.high(); bytes *= 2) {
    if (bytes < x.low()) continue;
    draw_line(to, "grid", x.at(bytes), kTop, x.at(bytes), kBottom);
    draw_text(to, "tick", x.at(bytes), kBottom + 15, "middle", decimal(bytes, 0) + " B");
  }
  draw_line(to, "axis", kLeft, kBottom, kRight, kBottom);
  for (int passes = 1; passes <= 1024; passes *= 2) draw_roof(to, speed, passes, x, y);
  for (auto p = points.rbegin(); p != points.rend(); ++p) {
    to << "<g class=\"mark " << colour_of(p->drawn.look) << "\">";
    draw_mark(to, p->drawn.look, x.at(p->bytes), y.at(p->drawn.measured.rate), p->drawn.measured.told);
    to << "</g>";
  }
  name_ours(to, points, x, y);
  figure.width = kWidth;
  figure.height = draw_legend(to, legend, kLeft, kBottom + 22, kRight - kLeft);
  return figure;
}

}  // namespace

std::vector<Figure> rooflines(ChartSet& set) {
  std::vector<Figure> figures;
  for (const Run& run : set.runs) {
    if (run.software || run.environment->copy_bytes_per_s <= 0) continue;
    const std::vector<Roofed> points = points_of(set, run);
    if (!points.empty()) figures.push_back(draw(run, points));
  }
  return figures;
}

}  // namespace lanesort::bench
