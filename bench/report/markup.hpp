// HTML and SVG as they are written. Invariant: what stands in the source as a literal is markup; every other text is
// escaped on its way in, so that no string of a results file can become an element, an attribute or a script.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace lanesort::bench {

class Markup {
 public:
  template <std::size_t N>
  Markup& operator<<(const char (&literal)[N]) {
    text_.append(literal, N - 1);
    return *this;
  }
  Markup& operator<<(std::string_view text);  // escaped
  Markup& operator<<(const Markup& part) {
    text_ += part.text_;
    return *this;
  }
  Markup& operator<<(double coordinate);  // to a tenth, which is finer than a pixel

  // The build's own text, such as the style sheet: markup though no literal.
  static Markup trusted(std::string_view text) {
    Markup markup;
    markup.text_ = text;
    return markup;
  }

  const std::string& text() const { return text_; }
  std::size_t size() const { return text_.size(); }
  bool empty() const { return text_.empty(); }

 private:
  std::string text_;
};

}  // namespace lanesort::bench
