#include "bench/report/read.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace lanesort::bench {
namespace {

using Json = nlohmann::json;
using std::uint64_t;

constexpr std::size_t kMostRows = 20'000, kMostRivals = 64, kMostNotes = 100, kLongestName = 200, kLongestText = 2000;
constexpr double kLongestSeconds = 1e9, kShortestSeconds = 1e-12;
constexpr const char* kRemedy = "; write the file again with 'lanesort bench --json'";

// An object of the file, and where it stands.
class Place {
 public:
  Place(const Json& object, std::string path) : object_(object), path_(std::move(path)) {
    if (!object_.is_object()) throw Error(path_ + " is " + shown(object_) + ", and has to be an object" + kRemedy);
  }

  [[noreturn]] void refuse(const char* field, const std::string& wanted) const {
    throw Error(path_ + "." + field + " is " + shown(object_.at(field)) + ", and has to be " + wanted + kRemedy);
  }

  const Json& at(const char* field) const {
    const auto found = object_.find(field);
    if (found == object_.end()) throw Error(path_ + " lacks the field '" + field + "'" + kRemedy);
    return *found;
  }

  bool has(const char* field) const { return object_.contains(field) && !object_.at(field).is_null(); }

  std::string text(const char* field, std::size_t longest = kLongestName) const {
    const Json& value = at(field);
    if (!value.is_string()) refuse(field, "a text");
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() > longest) {
      throw Error(path_ + "." + field + " has " + std::to_string(text.size()) + " bytes, and at most " +
                  std::to_string(longest) + " are read; it begins '" + text.substr(0, 20) + "'");
    }
    return text;
  }

  bool truth(const char* field) const {
    const Json& value = at(field);
    if (!value.is_boolean()) refuse(field, "true or false");
    return value.get<bool>();
  }

  uint64_t whole(const char* field, uint64_t most = std::numeric_limits<uint64_t>::max()) const {
    const Json& value = at(field);
    if (!value.is_number_unsigned() || value.get<uint64_t>() > most)
      refuse(field, "a whole number from 0 to " + std::to_string(most));
    return value.get<uint64_t>();
  }

  double number(const char* field, double most) const {
    const Json& value = at(field);
    const double number = value.is_number() ? value.get<double>() : -1;
    if (!(std::isfinite(number) && number >= 0 && number <= most)) {
      std::string limit = std::to_string(most);
      limit.erase(limit.find('.'));
      refuse(field, "a number from 0 to " + limit);
    }
    return number;
  }

  double number_or_zero(const char* field, double most) const { return has(field) ? number(field, most) : 0; }

  const Json& list(const char* field, std::size_t most) const {
    const Json& value = at(field);
    if (!value.is_array()) refuse(field, "a list");
    if (value.size() > most)
      throw Error(path_ + "." + field + " has " + std::to_string(value.size()) + " entries, and at most " +
                  std::to_string(most) + " are read; make several files of it");
    return value;
  }

  std::string path_of(const char* list, std::size_t i) const {
    return path_ + "." + list + "[" + std::to_string(i) + "]";
  }

 private:
  static std::string shown(const Json& value) {
    const std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
    return text.size() > 40 ? text.substr(0, 40) + "..." : text;
  }

  const Json& object_;
  std::string path_;
};

Timing read_timing(const Place& place, bool verified, const char* median, const char* q1, const char* q3) {
  Timing timing;
  timing.samples = static_cast<std::uint32_t>(place.whole("samples", UINT32_MAX));
  if (!verified) return {0, 0, 0, timing.samples};  // a time that was not verified is no time
  timing.median_s = place.number(median, kLongestSeconds);
  timing.q1_s = place.number(q1, kLongestSeconds);
  timing.q3_s = place.number(q3, kLongestSeconds);
  if (timing.q1_s > 0 && timing.q1_s < kShortestSeconds) place.refuse(q1, "0 or a time that a clock can tell");
  if (timing.q1_s > timing.median_s) place.refuse(q1, std::string("at most ") + median);
  if (timing.q3_s < timing.median_s) place.refuse(q3, std::string("at least ") + median);
  return timing;
}

void read_bits(const Place& place, Row& row) {
  const std::string text = place.text("bits");
  if (text == "all") return;
  const char* const end = text.data() + text.size();
  const auto low = std::from_chars(text.data(), end, row.bit_begin);
  const bool split = low.ec == std::errc{} && low.ptr != end && *low.ptr == ':';
  const auto high = split ? std::from_chars(low.ptr + 1, end, row.bit_end) : low;
  if (!split || high.ec != std::errc{} || high.ptr != end) place.refuse("bits", "\"all\" or LOW:HIGH");
}

Rival read_rival(const Place& place) {
  Rival rival;
  rival.name = place.text("name");
  rival.version = place.text("version");
  rival.verified = place.truth("verified");
  rival.fault = place.text("fault", kLongestText);
  rival.timing = read_timing(place, rival.verified, "median_s", "q1_s", "q3_s");
  rival.bound_s = place.number_or_zero("bound_s", kLongestSeconds);
  return rival;
}

std::string order_of(const Place& place) {
  const std::string order = place.text("order");
  if (order == "ascending") return "asc";  // as the CUDA bench wrote it first
  return order == "descending" ? "desc" : order;
}

Row read_row(const Place& place) {
  Row row;
  row.backend = place.text("backend");
  row.op = place.text("op");
  row.key = place.text("key");
  row.value_bytes = static_cast<std::uint32_t>(place.whole("value_bytes", 1u << 20));
  row.count = place.whole("count", uint64_t{1} << 62);
  row.pattern = place.text("pattern");
  row.order = order_of(place);
  row.form = place.text("form");
  row.engine = place.text("engine");
  read_bits(place, row);
  row.verified = place.truth("verified");
  row.fault = place.text("fault", kLongestText);
  row.timing = read_timing(place, row.verified, "median_s", "q1_s", "q3_s");
  if (row.timing.median_s > 0) row.keys_per_s = static_cast<double>(row.count) / row.timing.median_s;
  row.copy_share = place.number_or_zero("copy_share", 1e6);
  if (place.has("call_median_s"))
    row.call = read_timing(place, row.verified, "call_median_s", "call_q1_s", "call_q3_s");
  if (place.has("scratch_bytes")) row.scratch_bytes = place.whole("scratch_bytes");
  const Json& rivals = place.list("rivals", kMostRivals);
  for (std::size_t i = 0; i < rivals.size(); ++i)
    row.rivals.push_back(read_rival(Place(rivals[i], place.path_of("rivals", i))));
  return row;
}

Environment read_environment(const Place& place) {
  Environment environment;
  environment.device = place.text("device");
  environment.driver = place.text("driver");
  environment.compiler = place.text("compiler");
  environment.commit = place.text("commit");
  environment.date = place.text("date");
  environment.isa = place.text("isa");
  environment.threads = static_cast<std::uint32_t>(place.whole("threads", UINT32_MAX));
  environment.copy_bytes_per_s = place.number_or_zero("copy_bytes_per_s", 1e18);
  environment.load_average = place.number_or_zero("load_average", 1e9);
  const std::string clock = place.text("clock");
  if (clock != "host" && clock != "device") place.refuse("clock", "\"host\" or \"device\"");
  environment.device_clock = clock == "device";
  return environment;
}

RungText read_rung(const Place& place) {
  const auto text = [&](const char* field) { return place.text(field, kLongestText); };
  return {place.text("name"), text("idea"),     text("time"),   text("space"),
          text("traffic"),    text("launches"), text("limits"), text("source")};
}

Json parse(std::string_view text, const std::string& file) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& trouble) {
    const std::string what = trouble.what();  // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    const std::size_t begin = what.find("] ");
    throw Error(file + ": is no JSON: " + (begin == what.npos ? what : what.substr(begin + 2)) + kRemedy);
  }
}

}  // namespace

BenchReport read_results(std::string_view text, const std::string& file) {
  const Json root = parse(text, file);
  const std::string name = file + ": the file";
  const Place place(root, name);
  if (!root.contains("rows") || !root.contains("environment"))
    throw Error(file + ": is no results file, for it has no rows or no environment" + kRemedy);
  if (place.whole("schema") != 1) place.refuse("schema", "1, the only one that this version reads");
  BenchReport report;
  report.environment = read_environment(Place(place.at("environment"), file + ": environment"));
  const Json& rows = place.list("rows", kMostRows);
  for (std::size_t i = 0; i < rows.size(); ++i)
    report.rows.push_back(read_row(Place(rows[i], file + ": rows[" + std::to_string(i) + "]")));
  if (place.has("notes")) {
    for (const Json& note : place.list("notes", kMostNotes)) {
      if (!note.is_string() || note.get_ref<const std::string&>().size() > kLongestText)
        place.refuse("notes", "a list of texts of at most " + std::to_string(kLongestText) + " bytes");
      report.notes.push_back(note.get<std::string>());
    }
  }
  if (place.has("rungs")) {
    const Json& rungs = place.list("rungs", kMostRivals);
    for (std::size_t i = 0; i < rungs.size(); ++i)
      report.rungs.push_back(read_rung(Place(rungs[i], file + ": rungs[" + std::to_string(i) + "]")));
  }
  return report;
}

}  // namespace lanesort::bench
