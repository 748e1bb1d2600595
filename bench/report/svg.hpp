// Charts as SVG: scales, axes, marks, legends. Colours are classes (chart.css), so that one drawing is right in the
// dark and in print; every contender has a shape too, for who does not tell colours apart.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "bench/report/markup.hpp"

namespace lanesort::bench {

struct Figure {
  std::string slug;          // a file name without its end, unique in a report
  std::string title, where;  // what was sorted; on which machine, in which run
  std::string caption;       // what is drawn, and whose copy speed or rivals it is held to
  double width = 0, height = 0;
  Markup drawing;  // what stands inside <svg>
};

Markup svg_element(const Figure& figure);        // for a page
std::string svg_document(const Figure& figure);  // a file of its own, title and colours within

// Each name its look, the same in all charts of a page. "lanesort" is 0.
class Looks {
 public:
  std::size_t of(const std::string& name);

 private:
  std::map<std::string, std::size_t> looks_;
};

class LogScale {
 public:
  // Values from low to high fall on the pixels from..to.
  LogScale(double low, double high, double from, double to);
  double at(double value) const;
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  double low_, high_, from_, to_;
};

struct Measured {
  double x = 0;                        // keys, or the place of a line
  double rate = 0, low = 0, high = 0;  // keys a second: median and quartiles
  std::string told;                    // what a pointer that rests on it reads
};

struct Series {
  std::string name;
  std::size_t look = 0;
  std::vector<Measured> points;  // x rising
};

struct Tick {
  double value;
  std::string label;  // empty: a line without a word
};

std::vector<Tick> rate_ticks(double low, double high);
std::vector<Tick> count_ticks(double low, double high, bool powers_of_two);

void draw_mark(Markup& to, std::size_t look, double x, double y, const std::string& told);
void draw_line(Markup& to, const char* kind, double x1, double y1, double x2, double y2);
// anchor: start, middle or end
void draw_text(Markup& to, const char* kind, double x, double y, const char* anchor, const std::string& text);
// From the height y on; returns the height behind it.
double draw_legend(Markup& to, const std::vector<Series>& all, double x, double y, double width);

// A colour class: "s0" is ours.
std::string colour_of(std::size_t look);

}  // namespace lanesort::bench
