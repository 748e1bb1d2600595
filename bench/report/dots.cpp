// Charts with a line for each case: patterns, segments, top-k, transfers, the rungs of the ladder.
#include <algorithm>
#include <map>
#include <set>

#include "bench/report/charts.hpp"
#include "bench/report/words.hpp"

namespace lanesort::bench {
namespace {

constexpr double kWidth = 400, kRight = 376, kTop = 8, kLine = 24, kLetter = 6.1;

std::vector<Series> series_of(const std::vector<DotLine>& lines) {
  std::vector<Series> all;
  for (const DotLine& line : lines)
    for (const Drawn& drawn : line.drawn)
      if (std::none_of(all.begin(), all.end(), [&](const Series& s) { return s.name == drawn.name; }))
        all.push_back({drawn.name, drawn.look, {}});
  return all;
}

double label_width(const std::vector<DotLine>& lines) {
  std::ptrdiff_t letters = 0;
  for (const DotLine& line : lines)
    letters = std::max(letters,
                       std::count_if(line.label.begin(), line.label.end(), [](char c) { return (c & 0xC0) != 0x80; }));
  return std::min(kLetter * static_cast<double>(letters), 0.45 * kWidth);
}

void draw_dot(Markup& to, const Drawn& drawn, const LogScale& x, double y) {
  to << "<g class=\"mark " << colour_of(drawn.look) << "\">";
  draw_line(to, "whisker", x.at(drawn.measured.low), y, x.at(drawn.measured.high), y);
  draw_mark(to, drawn.look, x.at(drawn.measured.rate), y, drawn.measured.told);
  to << "</g>";
}

// Groups of entries that one chart shows, in the order in which they came.
struct Group {
  const Run* run;
  std::string title;
  std::vector<const Entry*> entries;
};

// key_of: the title of the chart that an entry belongs to; empty: none.
template <class KeyOf>
std::vector<Group> groups_of(const std::vector<Run>& runs, const KeyOf& key_of) {
  std::vector<Group> groups;
  for (const Run& run : runs) {
    if (run.software) continue;
    for (const Entry& entry : run.entries) {
      const std::string title = key_of(*entry.row);
      if (title.empty()) continue;
      auto at =
          std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.run == &run && g.title == title; });
      if (at == groups.end()) at = groups.insert(at, Group{&run, title, {}});
      at->entries.push_back(&entry);
    }
  }
  return groups;
}

template <class LabelOf>
std::vector<Figure> charts_of(ChartSet& set, const std::vector<Group>& groups, const std::string& what,
                              const std::string& caption, std::size_t fewest, const LabelOf& label_of) {
  std::vector<Figure> figures;
  for (const Group& group : groups) {
    std::vector<DotLine> lines;
    for (const Entry* const entry : group.entries) {
      std::vector<Drawn> drawn = drawn_of(set, *group.run, *entry);
      if (!drawn.empty()) lines.push_back({label_of(*entry->row), std::move(drawn)});
    }
    if (lines.size() < fewest) continue;
    figures.push_back(dot_chart(group.title, run_words(*group.run), caption, lines));
    figures.back().slug = slug_of(what + " " + group.title + " " + figures.back().where);
  }
  return figures;
}

std::string pattern_label(const std::string& pattern) {
  static const std::map<std::string, std::string> kEntropy{{"uniform", "1"},     {"entropy1", "1"},
                                                           {"entropy2", ".811"}, {"entropy3", ".544"},
                                                           {"entropy4", ".337"}, {"entropy5", ".201"}};
  const auto found = kEntropy.find(pattern);
  return found == kEntropy.end() ? pattern : pattern + " (" + found->second + ")";
}

}  // namespace

Figure dot_chart(const std::string& title, const std::string& where, const std::string& caption,
                 const std::vector<DotLine>& lines) {
  double low = 1e300, high = 0;
  for (const DotLine& line : lines)
    for (const Drawn& d : line.drawn) low = std::min(low, d.measured.low), high = std::max(high, d.measured.high);
  const double left = label_width(lines) + 14, bottom = kTop + kLine * static_cast<double>(lines.size());
  const LogScale x(low / 1.15, high * 1.15, left, kRight);
  Figure figure{"", title, where, caption, kWidth, 0, {}};
  Markup& to = figure.drawing;
  for (const Tick& tick : rate_ticks(x.low(), x.high())) {
    draw_line(to, tick.label.empty() ? "faint" : "grid", x.at(tick.value), kTop, x.at(tick.value), bottom);
    if (!tick.label.empty()) draw_text(to, "tick", x.at(tick.value), bottom + 15, "middle", tick.label);
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const double y = kTop + kLine * (static_cast<double>(i) + 0.5);
    draw_line(to, "faint", left, y, kRight, y);
    draw_text(to, "label", left - 10, y + 3.5, "end", lines[i].label);
    for (auto d = lines[i].drawn.rbegin(); d != lines[i].drawn.rend(); ++d) {
      if (d->bound_s > 0) {
        const double at = std::clamp(x.at(static_cast<double>(d->entry->row->count) / d->bound_s), left, kRight);
        draw_line(to, "bound", at, y - 8, at, y + 8);
      }
      draw_dot(to, *d, x, y);
    }
  }
  draw_line(to, "axis", left, bottom, kRight, bottom);
  // Where every line names who stands in it, a legend would say it again.
  const bool named = std::all_of(lines.begin(), lines.end(),
                                 [](const DotLine& l) { return l.drawn.size() == 1 && l.drawn[0].name == l.label; });
  figure.height = named ? bottom + 24 : draw_legend(to, series_of(lines), 8, bottom + 22, kRight - 8);
  return figure;
}

std::vector<Figure> pattern_charts(ChartSet& set) {
  const auto title = [](const Row& row) {
    return row.op == "top_k" || on_host(row) || !variant_of(row).empty()
               ? ""
               : kind_words(row) + ", " + count_words(row.count) + " keys";
  };
  std::vector<Group> groups = groups_of(set.runs, title);
  for (Group& group : groups)  // from the most entropy to the least, then as they came
    std::stable_sort(group.entries.begin(), group.entries.end(), [](const Entry* a, const Entry* b) {
      const auto rank = [](const std::string& p) {
        return p == "uniform" ? "entropy1" : p.starts_with("entropy") ? p : "f";
      };
      return rank(a->row->pattern) < rank(b->row->pattern);
    });
  return charts_of(set, groups, "patterns",
                   "Keys a second by pattern, medians and quartiles; entropy of a bit in brackets.", 2,
                   [](const Row& row) { return pattern_label(row.pattern); });
}

std::vector<Figure> segment_charts(ChartSet& set) {
  const auto title = [](const Row& row) { return variant_of(row).starts_with("segments") ? kind_words(row) : ""; };
  return charts_of(set, groups_of(set.runs, title), "segments", "Keys a second in segments, medians and quartiles.", 1,
                   [](const Row& row) { return count_words(row.count) + " " + row.pattern; });
}

std::vector<Figure> top_k_charts(ChartSet& set) {
  const auto title = [](const Row& row) { return row.op == "top_k" ? kind_words(row) : ""; };
  return charts_of(set, groups_of(set.runs, title), "top-k", "Keys looked through a second, medians and quartiles.", 1,
                   [](const Row& row) {
                     return count_words(row.count) + ", " + (variant_of(row).empty() ? row.pattern : variant_of(row));
                   });
}

namespace {

// The row of `host` without its transfers: the same work on the device's own arrays, in any run of the machine.
std::vector<Drawn> without_transfers(ChartSet& set, const Run& run, const Row& host) {
  for (const Run& other : set.runs) {
    if (other.machine != run.machine) continue;
    for (const Entry& entry : other.entries) {
      const Row& row = *entry.row;
      if (row.op != host.op || row.key != host.key || row.value_bytes != host.value_bytes || row.count != host.count ||
          row.pattern != host.pattern || row.order != host.order || on_host(row) || !row.verified)
        continue;
      std::vector<Drawn> drawn = drawn_of(set, other, entry);
      drawn.resize(std::min<std::size_t>(drawn.size(), 1));
      return drawn;
    }
  }
  return {};
}

void rename(ChartSet& set, Drawn& drawn, const std::string& name) {
  drawn.name = name;
  drawn.look = name == "kernels alone" ? 0 : set.looks.of(name);
}

DotLine transfer_line(ChartSet& set, const Run& run, const Entry& entry) {
  const Row& row = *entry.row;
  DotLine line{count_words(row.count) + (row.engine.starts_with("host, ") ? row.engine.substr(4) : ""), {}};
  std::vector<Drawn> kernels = on_host(row) ? without_transfers(set, run, row) : drawn_of(set, run, entry);
  if (!kernels.empty()) {
    rename(set, kernels[0], "kernels alone");
    line.drawn.push_back(kernels[0]);
  }
  if (!on_host(row)) {
    const std::string name = "whole call";
    const Measured measured = measured_of(name, row, row.call);
    line.drawn.push_back({&run, &entry, name, set.looks.of(name), measured, false, 0});
    return line;
  }
  for (Drawn& drawn : drawn_of(set, run, entry)) {
    if (drawn.ours) rename(set, drawn, "whole call");
    line.drawn.push_back(std::move(drawn));
  }
  return line;
}

}  // namespace

std::vector<Figure> transfer_charts(ChartSet& set) {
  std::vector<Figure> figures;
  const auto title = [](const Row& row) {
    const bool whole = row.verified && (on_host(row) ? row.timing.q1_s > 0 : row.call.q1_s > 0);
    return whole ? kind_words(row) + ", " + row.pattern : "";
  };
  for (const Group& group : groups_of(set.runs, title)) {
    std::vector<DotLine> lines;
    for (const Entry* const entry : group.entries)
      if (entry->row->count != 0) lines.push_back(transfer_line(set, *group.run, *entry));
    if (lines.empty()) continue;
    figures.push_back(dot_chart(group.title, run_words(*group.run),
                                "Keys a second by the device's clock, and by the host's around the whole call, "
                                "transfers included; the link alone where it was measured.",
                                lines));
    figures.back().slug = slug_of("transfers " + group.title + " " + figures.back().where);
  }
  return figures;
}

std::vector<Figure> ladder_charts(ChartSet& set) {
  std::vector<Figure> figures;
  for (const Run& run : set.runs) {
    std::set<std::string> rungs;
    for (const BenchReport* const report : run.reports)
      for (const RungText& rung : report->rungs) rungs.insert(rung.name);
    for (const Entry& entry : run.entries) {
      std::vector<DotLine> lines;
      for (Drawn& drawn : drawn_of(set, run, entry)) {
        if (!drawn.ours && !rungs.contains(drawn.name)) continue;
        lines.push_back({drawn.name, {std::move(drawn)}});
      }
      if (rungs.empty() || lines.size() < 2) continue;
      std::stable_sort(lines.begin(), lines.end(), [](const DotLine& a, const DotLine& b) {
        return a.drawn[0].measured.rate < b.drawn[0].measured.rate;
      });
      figures.push_back(dot_chart("Ladder: " + case_words(*entry.row), run_words(run),
                                  "Keys a second, medians and quartiles. The upright strokes: the traffic of all "
                                  "passes of a rung at this machine's copy speed.",
                                  lines));
      figures.back().slug = slug_of(figures.back().title + " " + figures.back().where);
    }
  }
  return figures;
}

}  // namespace lanesort::bench
