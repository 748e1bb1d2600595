#include "bench/report/page.hpp"

#include <set>

#include "bench/report/charts.hpp"
#include "bench/report/sections.hpp"
#include "report_parts.hpp"

namespace lanesort::bench {
namespace {

// Charts of one heading.
struct Chapter {
  const char *id, *title, *text;
  std::vector<Figure> figures;
};

std::vector<Chapter> chapters_of(const std::vector<Run>& runs) {
  ChartSet set{runs, {}};
  std::vector<Chapter> chapters;
  chapters.push_back(
      {"throughput", "Throughput", "Higher is better. Both axes are logarithmic.", throughput_charts(set)});
  for (Figure& figure : one_size_charts(set)) chapters.back().figures.push_back(std::move(figure));
  chapters.push_back(
      {"ladder", "The ladder", "From the plainest sort to ours, each rung verified.", ladder_charts(set)});
  chapters.push_back({"bound", "Share of the traffic bound",
                      "A sort that moved every record once, at copy speed, would be at 100.", heat_maps(runs)});
  chapters.push_back({"roofline", "Roofline", "", rooflines(set)});
  chapters.push_back({"patterns", "Entropy and patterns", "", pattern_charts(set)});
  chapters.push_back({"segments", "Segments", "", segment_charts(set)});
  chapters.push_back({"top-k", "Top-k", "", top_k_charts(set)});
  chapters.push_back({"transfers", "With and without transfers", "", transfer_charts(set)});
  std::set<std::string> slugs;  // two of one name would be one file
  for (Chapter& chapter : chapters) {
    for (Figure& figure : chapter.figures) {
      const std::string slug = figure.slug;
      for (int i = 2; !slugs.insert(figure.slug).second; ++i) figure.slug = slug + "-" + std::to_string(i);
    }
  }
  return chapters;
}

Markup chapter_markup(const Chapter& chapter, const Markup& more, std::size_t& left_bytes) {
  if (chapter.figures.empty()) return {};
  Markup to;
  to << "<section id=\"" << std::string_view(chapter.id) << "\"><h2>" << std::string_view(chapter.title) << "</h2>";
  if (*chapter.text != '\0') to << "<p>" << std::string_view(chapter.text) << "</p>";
  Lines figures(left_bytes);
  for (const Figure& figure : chapter.figures) {
    figures.add(Markup() << "<figure" << (figure.width > 600 ? Markup() << " class=\"broad\"" : Markup()) << "><h3>"
                         << figure.title << " <small>" << figure.where << "</small></h3><div class=\"wide\">"
                         << svg_element(figure) << "</div><figcaption>" << figure.caption << "</figcaption></figure>");
  }
  left_bytes -= figures.markup().size();
  return to << "<div class=\"figures\">" << figures.markup() << "</div>" << figures.rest("charts") << more
            << "</section>";
}

Markup head_of(const std::vector<Run>& runs) {
  const Score score = score_of(runs);
  Markup to;
  to << "<header><h1>lanesort report</h1><p>";
  const auto fact = [&to](std::size_t number, const char* what) {
    if (number != 0)
      to << "<span class=\"fact\"><b>" << std::to_string(number) << "</b> " << std::string_view(what) << "</span> ";
  };
  fact(runs.size(), runs.size() == 1 ? "run" : "runs");
  fact(score.rows, "rows");
  fact(score.verified, "verified");
  fact(score.rows - score.verified, "not verified");
  fact(score.software, "of a software driver, in no chart");
  fact(score.comparisons, "comparisons");
  fact(score.losses, "lost");
  return to << "</p></header>";
}

}  // namespace

std::vector<Figure> make_figures(const std::vector<ResultsFile>& files) {
  const std::vector<Run> runs = make_runs(files);
  std::vector<Figure> all;
  for (Chapter& chapter : chapters_of(runs))
    for (Figure& figure : chapter.figures) all.push_back(std::move(figure));
  return all;
}

std::string make_page(const std::vector<ResultsFile>& files) {
  const std::vector<Run> runs = make_runs(files);
  Markup body;
  body << head_of(runs) << environment_section(runs) << losses_section(runs) << faults_section(runs)
       << comparison_section(runs);
  std::size_t chart_bytes = 600'000;
  for (const Chapter& chapter : chapters_of(runs))
    body << chapter_markup(chapter, std::string_view(chapter.id) == "ladder" ? rungs_section(runs) : Markup(),
                           chart_bytes);
  body << scratch_section(runs) << ratios_section(runs);
  Markup page;
  page << "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
          "content=\"width=device-width,initial-scale=1\">"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
          "script-src 'unsafe-inline'\">"
          "<title>lanesort report</title><style>"
       << Markup::trusted(kChartStyle) << Markup::trusted(kPageStyle) << "</style></head><body><main>" << body;
  constexpr std::size_t kEnd = 20'000;  // script and headings
  page << rows_section(runs, kMostPageBytes - std::min(kMostPageBytes, page.size() + kEnd));
  page << "</main><script>" << Markup::trusted(kPageScript) << "</script></body></html>\n";
  return page.text();
}

}  // namespace lanesort::bench
