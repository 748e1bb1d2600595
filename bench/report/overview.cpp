// What a reader wants first: the machines, what was lost and what failed, and what changed from run to run.
#include <algorithm>
#include <map>

#include "bench/report/charts.hpp"
#include "bench/report/sections.hpp"
#include "bench/report/words.hpp"

namespace lanesort::bench {
namespace {

constexpr std::size_t kBytes = 60'000;  // of one section

Markup card(const Run& run) {
  const Environment& e = *run.environment;
  Markup to;
  to << "<div class=\"card\"><h3><b class=\"label\">" << run.label << "</b> " << machine_words(e) << "</h3><dl>";
  const auto line = [&to](const char* name, const std::string& value) {
    if (!value.empty()) to << "<dt>" << std::string_view(name) << "</dt><dd>" << value << "</dd>";
  };
  line("driver", e.driver);
  line("code path", e.isa);
  line("commit", e.commit);
  line("compiler", e.compiler);
  line("date", e.date);
  line("clock", e.device_clock ? "the device's, kernels alone" : "the host's");
  line("copy speed", e.copy_bytes_per_s > 0 ? bandwidth_words(e.copy_bytes_per_s) + ", reads and writes counted"
                                            : "not measured: shares of the traffic bound are left out");
  line("rows", std::to_string(run.entries.size()) + ", from " + run.files.front() +
                   (run.files.size() > 1 ? " and " + std::to_string(run.files.size() - 1) + " more" : ""));
  if (run.software) line("software driver", "its times say nothing about a GPU, and are not shown");
  to << "</dl>";
  if (!run.notes.empty()) {
    to << "<details><summary>" << std::to_string(run.notes.size()) << (run.notes.size() == 1 ? " note" : " notes")
       << "</summary><ul>";
    Lines notes(kBytes / 8);
    for (const std::string& note : run.notes) notes.add(Markup() << "<li>" << note << "</li>");
    to << notes.markup() << "</ul>" << notes.rest("notes") << "</details>";
  }
  return to << "</div>";
}

struct Loss {
  const Run* run;
  const Row* row;
  const Rival* rival;
  double ratio;
};

std::vector<Loss> losses_of(const std::vector<Run>& runs) {
  std::vector<Loss> losses;
  for (const Run& run : runs) {
    if (run.software) continue;
    for (const Entry& entry : run.entries)
      for (const Rival& rival : entry.row->rivals)
        if (entry.row->verified && rival.verified && !is_limit(rival) &&
            judge(rival.timing, entry.row->timing) == Verdict::faster)
          losses.push_back(
              {&run, entry.row, &rival, entry.row->timing.median_s / std::max(rival.timing.median_s, 1e-12)});
  }
  std::stable_sort(losses.begin(), losses.end(), [](const Loss& a, const Loss& b) { return a.ratio > b.ratio; });
  return losses;
}

Markup verdict_markup(Verdict verdict) {
  static const std::map<Verdict, const char*> kSigns{{Verdict::faster, "▲"},
                                                     {Verdict::slower, "▼"},
                                                     {Verdict::same, "="},
                                                     {Verdict::unclear, "?"},
                                                     {Verdict::missing, "–"}};
  return Markup() << "<span class=\"verdict " << verdict_name(verdict) << "\">" << std::string_view(kSigns.at(verdict))
                  << " " << verdict_name(verdict) << "</span>";
}

std::string why_missing(const Pair& pair, const Run& before, const Run& now) {
  if (pair.before == nullptr) return "only in " + now.label;
  if (pair.now == nullptr) return "only in " + before.label;
  return "not verified in " + (pair.before->verified ? now.label : before.label);
}

Markup compared_line(const Pair& pair) {
  return Markup() << "<tr><td>" << case_words(*pair.before) << "<td class=\"n\">"
                  << duration_words(pair.before->timing.median_s) << "<td class=\"n\">"
                  << duration_words(pair.now->timing.median_s) << "<td class=\"n\">"
                  << ratio_words(pair.now->timing.median_s / std::max(pair.before->timing.median_s, 1e-12)) << "<td>"
                  << verdict_markup(pair.verdict);
}

constexpr Verdict kWorstFirst[] = {Verdict::slower, Verdict::unclear, Verdict::faster, Verdict::same, Verdict::missing};

void compare_two(Markup& to, const Run& before, const Run& now, bool open) {
  const std::vector<Pair> pairs = compare(before, now);
  std::map<Verdict, std::size_t> counts;
  Lines lines(kBytes / 2), missing(kBytes / 4);
  for (const Verdict verdict : kWorstFirst) {
    for (const Pair& pair : pairs) {
      if (pair.verdict != verdict) continue;
      ++counts[verdict];
      if (verdict != Verdict::missing)
        lines.add(compared_line(pair));
      else
        missing.add(Markup() << "<li>" << case_words(pair.before != nullptr ? *pair.before : *pair.now) << ": "
                             << why_missing(pair, before, now) << "</li>");
    }
  }
  to << "<details" << (open && lines.count() != 0 ? Markup() << " open" : Markup()) << "><summary><b class=\"label\">"
     << now.label << "</b> beside <b class=\"label\">" << before.label << "</b>";
  for (const Verdict verdict : kWorstFirst)
    if (counts[verdict] != 0) to << " &ensp;" << verdict_markup(verdict) << " " << std::to_string(counts[verdict]);
  to << "</summary>";
  if (lines.count() != 0)
    to << "<div class=\"wide\"><table><thead><tr><th>case<th class=\"n\">" << before.label << "<th class=\"n\">"
       << now.label << "<th class=\"n\">time<th>verdict</thead><tbody>" << lines.markup() << "</tbody></table></div>"
       << lines.rest("cases");
  if (missing.count() != 0)
    to << "<details class=\"inner\"><summary>" << verdict_markup(Verdict::missing) << " "
       << std::to_string(counts[Verdict::missing]) << "</summary><ul>" << missing.markup() << "</ul>"
       << missing.rest("cases") << "</details>";
  to << "</details>";
}

}  // namespace

void Lines::add(const Markup& line) {
  if (left_out_ != 0 || line.size() > left_bytes_) {
    ++left_out_;
    return;
  }
  left_bytes_ -= line.size();
  lines_ << line;
  ++count_;
}

Markup Lines::rest(const std::string& what) const {
  if (left_out_ == 0) return {};
  return Markup() << "<p class=\"quiet\">" << std::to_string(left_out_) << " more " << what
                  << " are left out, to keep the page small; the files have them.</p>";
}

Score score_of(const std::vector<Run>& runs) {
  Score score;
  for (const Run& run : runs) {
    for (const Entry& entry : run.entries) {
      ++score.rows;
      if (run.software) ++score.software;
      if (entry.row->verified) ++score.verified;
      if (run.software || !entry.row->verified) continue;
      for (const Rival& rival : entry.row->rivals) {
        if (!rival.verified || is_limit(rival)) continue;
        ++score.comparisons;
        const Verdict verdict = judge(rival.timing, entry.row->timing);
        if (verdict == Verdict::faster) ++score.losses;
        if (verdict == Verdict::same || verdict == Verdict::unclear) ++score.undecided;
      }
    }
  }
  return score;
}

std::vector<Pair> compare(const Run& before, const Run& now) {
  std::vector<Pair> pairs;
  std::map<std::string, std::size_t> places;
  for (const Entry& entry : before.entries) {
    places.try_emplace(case_of(*entry.row), pairs.size());
    pairs.push_back({entry.row, nullptr, Verdict::missing});
  }
  for (const Entry& entry : now.entries) {
    const auto found = places.find(case_of(*entry.row));
    if (found == places.end() || pairs[found->second].now != nullptr) {
      pairs.push_back({nullptr, entry.row, Verdict::missing});
      continue;
    }
    Pair& pair = pairs[found->second];
    pair.now = entry.row;
    if (pair.before->verified && pair.now->verified) pair.verdict = judge(pair.now->timing, pair.before->timing);
  }
  return pairs;
}

Markup environment_section(const std::vector<Run>& runs) {
  Lines cards(kBytes);
  for (const Run& run : runs) cards.add(card(run));
  return Markup() << "<section id=\"environment\"><h2>Environment</h2><div class=\"cards\">" << cards.markup()
                  << "</div>" << cards.rest("runs") << "</section>";
}

Markup losses_section(const std::vector<Run>& runs) {
  const Score score = score_of(runs);
  if (score.comparisons == 0) return {};
  Markup to;
  to << "<section id=\"losses\"><h2>Where lanesort loses</h2><p>" << std::to_string(score.losses) << " of "
     << std::to_string(score.comparisons) << " comparisons lost: the rival's quartiles lie below ours. "
     << std::to_string(score.undecided) << " undecided.</p>";
  const std::vector<Loss> losses = losses_of(runs);
  if (losses.empty()) return to << "</section>";
  constexpr std::size_t kShown = 12;
  const auto table = [&](std::size_t from, std::size_t till) {
    Lines lines(kBytes / 2);
    for (std::size_t i = from; i < till; ++i) {
      const Loss& loss = losses[i];
      lines.add(Markup() << "<tr><td>" << case_words(*loss.row) << "<td><b class=\"label\">" << loss.run->label
                         << "</b><td>" << loss.rival->name << "<td class=\"n\">"
                         << duration_words(loss.rival->timing.median_s) << "<td class=\"n\">"
                         << duration_words(loss.row->timing.median_s) << "<td class=\"n\">" << ratio_words(loss.ratio));
    }
    return Markup() << "<div class=\"wide\"><table><thead><tr><th>case<th>run<th>rival<th class=\"n\">rival<th "
                       "class=\"n\">lanesort<th class=\"n\">our time</thead><tbody>"
                    << lines.markup() << "</tbody></table></div>" << lines.rest("losses");
  };
  to << table(0, std::min(kShown, losses.size()));
  if (losses.size() > kShown)
    to << "<details><summary>" << std::to_string(losses.size() - kShown) << " more</summary>"
       << table(kShown, losses.size()) << "</details>";
  return to << "</section>";
}

Markup faults_section(const std::vector<Run>& runs) {
  Lines lines(kBytes / 2);
  const auto add = [&](const Run& run, const Row& row, const std::string& name, const std::string& fault) {
    lines.add(Markup() << "<tr><td>" << case_words(row) << "<td><b class=\"label\">" << run.label << "</b><td>" << name
                       << "<td>" << fault);
  };
  for (const Run& run : runs) {
    for (const Entry& entry : run.entries) {
      if (!entry.row->verified) add(run, *entry.row, "lanesort", entry.row->fault);
      for (const Rival& rival : entry.row->rivals)
        if (!rival.verified) add(run, *entry.row, rival.name, rival.fault);
    }
  }
  if (lines.count() == 0) return {};
  return Markup() << "<section id=\"faults\"><h2>Not verified</h2><p>No time of these is shown anywhere.</p><div "
                     "class=\"wide\"><table><thead><tr><th>case<th>run<th>sorter<th>what is wrong</thead><tbody>"
                  << lines.markup() << "</tbody></table></div>" << lines.rest("rows") << "</section>";
}

Markup comparison_section(const std::vector<Run>& runs) {
  Markup to;
  const Run* first = nullptr;
  for (const Run& run : runs) {
    if (run.software) continue;
    if (first == nullptr) {
      first = &run;
    } else if (to.size() < kBytes) {
      const Run& own = runs[run.machine];
      compare_two(to, &own != &run ? own : *first, run, to.empty());
    }
  }
  if (to.empty()) return {};
  return Markup() << "<section id=\"comparison\"><h2>From run to run</h2><p>lanesort's own times, each run beside the "
                     "first of its machine, and the first of each machine beside that of the first. <i>Faster</i> and "
                     "<i>slower</i>: the quartile intervals do not meet. "
                     "<i>Same</i>: they do, within 5 % of the first median. <i>Unclear</i>: they meet, and are wider "
                     "or of fewer than 3 samples. <i>Missing</i>: one side has no verified time.</p>"
                  << to << "</section>";
}

}  // namespace lanesort::bench
