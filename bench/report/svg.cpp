#include "bench/report/svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/report/words.hpp"
#include "report_parts.hpp"

namespace lanesort::bench {
namespace {

constexpr std::size_t kColours = 7;  // of rivals; ours is one more
constexpr double kLetter = 6.1;      // about the width of one, at 11 pixels

// Around (0, 0).
constexpr std::array<const char*, 8> kShapes{
    "M-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0-7.2 0Z",
    "M-3.2-3.2h6.4v6.4h-6.4Z",
    "M0-4.3L4 3H-4Z",
    "M0-4.6L4.2 0L0 4.6L-4.2 0Z",
    "M0 4.3L4-3H-4Z",
    "M-1.3-4h2.6v2.7H4v2.6H1.3V4h-2.6V1.3H-4v-2.6h2.7Z",
    "M-4-2.4L-2.4-4L0-1.6L2.4-4L4-2.4L1.6 0L4 2.4L2.4 4L0 1.6L-2.4 4L-4 2.4L-1.6 0Z",
    "M-4.2-2h8.4v4h-8.4Z"};

void open_svg(Markup& to, const Figure& figure) {
  to << "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" viewBox=\"0 0 " << figure.width << " "
     << figure.height << "\" width=\"" << figure.width << "\" height=\"" << figure.height << "\">";
}

double width_of(const std::string& text) {
  const auto letters = std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
  return kLetter * static_cast<double>(letters);
}

}  // namespace

std::size_t Looks::of(const std::string& name) {
  if (name == "lanesort") return 0;
  return looks_.try_emplace(name, looks_.size() + 1).first->second;
}

std::string colour_of(std::size_t look) { return "s" + std::to_string(look == 0 ? 0 : 1 + (look - 1) % kColours); }

Markup svg_element(const Figure& figure) {
  Markup svg;
  open_svg(svg, figure);
  svg << "<title>" << figure.title << "</title>" << figure.drawing << "</svg>";
  return svg;
}

std::string svg_document(const Figure& figure) {
  constexpr double kHead = 46, kMargin = 8;
  Figure whole = figure;
  whole.width += 2 * kMargin;
  whole.height += kHead + kMargin;
  Markup svg;
  open_svg(svg, whole);
  svg << "<title>" << figure.title << ", " << figure.where << "</title><desc>" << figure.caption << "</desc><style>"
      << Markup::trusted(kChartStyle) << "</style><rect class=\"paper\" width=\"" << whole.width << "\" height=\""
      << whole.height << "\"/>";
  draw_text(svg, "head", kMargin + 4, 20, "start", figure.title);
  draw_text(svg, "tick", kMargin + 4, 36, "start", figure.where);
  svg << "<g transform=\"translate(" << kMargin << " " << kHead << ")\">" << figure.drawing << "</g></svg>\n";
  return svg.text();
}

LogScale::LogScale(double low, double high, double from, double to) : low_(low), high_(high), from_(from), to_(to) {
  if (high_ <= low_) low_ /= 1.25, high_ *= 1.25;
}

double LogScale::at(double value) const {
  return from_ + (to_ - from_) * std::log(value / low_) / std::log(high_ / low_);
}

std::vector<Tick> rate_ticks(double low, double high) {
  std::vector<Tick> ticks;
  const double decades = std::log10(high / low);
  for (int power = static_cast<int>(std::floor(std::log10(low)));
       power <= static_cast<int>(std::ceil(std::log10(high))); ++power) {
    for (const double step : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0}) {
      const double value = step * std::pow(10, power);
      const bool usual = step == 1 || step == 2 || step == 5;
      if (value < low * 0.999 || value > high * 1.001 || (!usual && decades > 0.5)) continue;
      const bool named = step == 1 ? decades < 7 || power % 3 == 0 : decades < 1.6;
      ticks.push_back({value, named ? rate_words(value) : ""});
    }
  }
  return ticks;
}

std::vector<Tick> count_ticks(double low, double high, bool powers_of_two) {
  std::vector<Tick> ticks;
  if (powers_of_two) {
    const int first = static_cast<int>(std::ceil(std::log2(low) - 1e-9)),
              last = static_cast<int>(std::floor(std::log2(high) + 1e-9));
    const int step = last - first > 8 ? 4 : last - first > 4 ? 2 : 1;
    for (int power = first; power <= last; ++power)
      ticks.push_back(
          {std::exp2(power), power % step == 0 ? "2" + superscript(static_cast<std::uint64_t>(power)) : ""});
    return ticks;
  }
  for (int power = static_cast<int>(std::floor(std::log10(low)));
       power <= static_cast<int>(std::ceil(std::log10(high))); ++power) {
    const double value = std::pow(10, std::max(power, 0));
    if (value >= low * 0.999 && value <= high * 1.001)
      ticks.push_back({value, count_words(static_cast<std::uint64_t>(value))});
  }
  return ticks;
}

void draw_mark(Markup& to, std::size_t look, double x, double y, const std::string& told) {
  to << "<path transform=\"translate(" << x << " " << y << ")\" d=\""
     << std::string_view(kShapes[look % kShapes.size()]) << "\">";
  if (!told.empty()) to << "<title>" << told << "</title>";
  to << "</path>";
}

void draw_line(Markup& to, const char* kind, double x1, double y1, double x2, double y2) {
  to << "<line class=\"" << std::string_view(kind) << "\" x1=\"" << x1 << "\" y1=\"" << y1 << "\" x2=\"" << x2
     << "\" y2=\"" << y2 << "\"/>";
}

void draw_text(Markup& to, const char* kind, double x, double y, const char* anchor, const std::string& text) {
  to << "<text class=\"" << std::string_view(kind) << "\" x=\"" << x << "\" y=\"" << y << "\" text-anchor=\""
     << std::string_view(anchor) << "\">" << text << "</text>";
}

double draw_legend(Markup& to, const std::vector<Series>& all, double x, double y, double width) {
  constexpr double kLine = 17, kMark = 13, kGap = 16;
  double left = x, base = y + 12;
  for (const Series& series : all) {
    const double wide = kMark + width_of(series.name) + kGap;
    if (left > x && left + wide - kGap > x + width) left = x, base += kLine;
    to << "<g class=\"mark " << colour_of(series.look) << "\">";
    draw_mark(to, series.look, left + 4, base - 4, "");
    to << "</g>";
    draw_text(to, series.look == 0 ? "ours" : "", left + kMark, base, "start", series.name);
    left += wide;
  }
  return base + 8;
}

}  // namespace lanesort::bench
