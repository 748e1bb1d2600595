// The tables at the end: scratch, rungs, ratios to a baseline that the reader picks, and every row.
#include <algorithm>

#include "bench/report/charts.hpp"
#include "bench/report/sections.hpp"
#include "bench/report/words.hpp"

namespace lanesort::bench {
namespace {

// The names of all who sorted in a run, lanesort first.
std::vector<std::string> sorters_of(const Run& run) {
  std::vector<std::string> names{"lanesort"};
  for (const Entry& entry : run.entries)
    for (const Rival& rival : entry.row->rivals)
      if (std::find(names.begin(), names.end(), rival.name) == names.end()) names.push_back(rival.name);
  return names;
}

const Timing* timing_of(const Row& row, const std::string& name) {
  if (name == "lanesort") return row.verified ? &row.timing : nullptr;
  for (const Rival& rival : row.rivals)
    if (rival.name == name) return rival.verified ? &rival.timing : nullptr;
  return nullptr;
}

// t: the median, out of which page.js makes the ratio when another baseline is picked.
Markup ratio_cell(const Row& row, const std::string& name) {
  const Timing* const timing = timing_of(row, name);
  if (timing == nullptr || timing->median_s <= 0) return Markup() << "<td>";
  const double ours = row.verified ? row.timing.median_s : 0;
  return Markup() << "<td class=\"n\" data-t=\"" << significant(timing->median_s * 1e9, 6) << "\" title=\""
                  << duration_words(timing->median_s) << "\">"
                  << (ours > 0 ? ratio_words(ours / timing->median_s) : std::string());
}

std::string exact(double value) { return significant(value, 6); }

void add_row(Lines& lines, const Run& run, const Entry& entry, const std::string& name, const std::string& version,
             bool verified, const std::string& fault, const Timing& timing) {
  const Row& row = *entry.row;
  Markup to;
  to << "<tr>";
  const auto cell = [&to](const std::string& text) { to << "<td>" << text; };
  for (const std::string& text : {run.label, row.backend, row.op, row.key, std::to_string(row.value_bytes),
                                  std::to_string(row.count), row.pattern, row.order, row.form, bits_words(row),
                                  name == "lanesort" ? row.engine : std::string(), name, version})
    cell(text);
  if (verified && !run.software) {
    cell(exact(timing.median_s)), cell(exact(timing.q1_s)), cell(exact(timing.q3_s));
    cell(std::to_string(timing.samples));
    cell(timing.median_s > 0 ? decimal(static_cast<double>(row.count) / timing.median_s, 0) : "");
    const double share = copy_share(entry, timing);
    cell(share > 0 ? exact(share) : "");
  } else {
    to << "<td><td><td><td><td><td>";
  }
  cell(verified ? "yes" : "no");
  cell(run.software ? "software driver: no time of it is shown" : fault);
  lines.add(to);
}

}  // namespace

Markup scratch_section(const std::vector<Run>& runs) {
  Lines lines(40'000);
  for (const Run& run : runs) {
    for (const Entry& entry : run.entries) {
      const Row& row = *entry.row;
      if (!row.scratch_bytes || row.count == 0) continue;
      const double per_key = static_cast<double>(*row.scratch_bytes) / static_cast<double>(row.count);
      lines.add(Markup() << "<tr><td>" << case_words(row) << "<td><b class=\"label\">" << run.label
                         << "</b><td class=\"n\">" << bytes_words(static_cast<double>(*row.scratch_bytes))
                         << "<td class=\"n\">" << significant(per_key, 3) << " B<td class=\"n\">"
                         << (key_bytes(row) > 0 ? ratio_words(per_key / (key_bytes(row) + row.value_bytes)) : ""));
    }
  }
  if (lines.count() == 0) return {};
  return Markup()
         << "<section id=\"scratch\"><h2>Scratch</h2><p>Memory that lanesort asks for beside the arrays.</p><div "
            "class=\"wide\"><table><thead><tr><th>case<th>run<th class=\"n\">scratch<th class=\"n\">a key<th "
            "class=\"n\">of key and value</thead><tbody>"
         << lines.markup() << "</tbody></table></div>" << lines.rest("cases") << "</section>";
}

Markup rungs_section(const std::vector<Run>& runs) {
  Lines lines(60'000);
  std::vector<std::string> seen;
  for (const Run& run : runs) {
    for (const BenchReport* const report : run.reports) {
      for (const RungText& rung : report->rungs) {
        if (std::find(seen.begin(), seen.end(), rung.name) != seen.end()) continue;
        seen.push_back(rung.name);
        lines.add(Markup() << "<tr><th>" << rung.name << "<td>" << rung.idea << "<td>" << rung.time << "<td>"
                           << rung.space << "<td>" << rung.traffic << "<td>" << rung.launches << "<td>" << rung.limits
                           << "<td>" << rung.source);
      }
    }
  }
  if (lines.count() == 0) return {};
  return Markup() << "<div class=\"wide\"><table "
                     "class=\"prose\"><thead><tr><th>rung<th>idea<th>time<th>space<th>traffic<th>launches<th>limits<th>"
                     "source</thead><tbody>"
                  << lines.markup() << "</tbody></table></div>" << lines.rest("rungs");
}

Markup ratios_section(const std::vector<Run>& runs) {
  Markup to, options;
  std::vector<std::string> names;
  for (const Run& run : runs) {
    const std::vector<std::string> sorters = sorters_of(run);
    if (run.software || sorters.size() < 2) continue;
    for (const std::string& name : sorters) {
      if (std::find(names.begin(), names.end(), name) != names.end() || options.size() > 10'000) continue;
      names.push_back(name);
      options << "<option>" << name << "</option>";
    }
    Lines lines(90'000);
    for (const Entry& entry : run.entries) {
      if (entry.row->rivals.empty()) continue;
      Markup line;
      line << "<tr><td>" << case_words(*entry.row);
      for (const std::string& name : sorters) line << ratio_cell(*entry.row, name);
      lines.add(line);
    }
    if (to.size() > 90'000) continue;
    to << "<details><summary>" << run_words(run)
       << "</summary><div class=\"wide\"><table class=\"ratios\"><thead><tr><th>case";
    for (const std::string& name : sorters) to << "<th class=\"n\">" << name;
    to << "</thead><tbody>" << lines.markup() << "</tbody></table></div>" << lines.rest("cases") << "</details>";
  }
  if (to.empty()) return {};
  return Markup()
         << "<section id=\"ratios\"><h2>Speed beside a baseline</h2><p><label>Baseline <select id=\"baseline\">"
         << options
         << "</select></label> is 1; more is faster. Ratios of medians: whether a difference is shown, the losses and "
            "the charts say.</p>"
         << to << "</section>";
}

Markup rows_section(const std::vector<Run>& runs, std::size_t most_bytes) {
  Lines lines(most_bytes);
  for (const Run& run : runs) {
    for (const Entry& entry : run.entries) {
      const Row& row = *entry.row;
      add_row(lines, run, entry, "lanesort", "", row.verified, row.fault, row.timing);
      for (const Rival& rival : row.rivals)
        add_row(lines, run, entry, rival.name, rival.version, rival.verified, rival.fault, rival.timing);
    }
  }
  Markup to;
  to << "<section id=\"rows\"><h2>Every row</h2><p><button id=\"copy\" type=\"button\">Copy as CSV</button> <span "
        "id=\"copied\" role=\"status\"></span></p>"
     << lines.rest("lines") << "<details><summary>" << std::to_string(lines.count())
     << " lines</summary><div class=\"wide\"><table id=\"all\"><thead><tr>";
  for (const char* name : {"run",   "backend", "op",      "key",        "value_bytes", "count",    "pattern",
                           "order", "form",    "bits",    "engine",     "sorter",      "version",  "median_s",
                           "q1_s",  "q3_s",    "samples", "keys_per_s", "copy_share",  "verified", "fault"})
    to << "<th>" << std::string_view(name);
  return to << "</thead><tbody>" << lines.markup() << "</tbody></table></div></details></section>";
}

}  // namespace lanesort::bench
