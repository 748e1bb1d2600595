// The option table. The only file that sees CLI11, which takes its time to compile.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <sstream>

#include "bench/nearest.hpp"
#include "bench/patterns.hpp"
#include "options.hpp"
#include "status.hpp"
#include "usage.hpp"

namespace lanesort::cli {
namespace {
constexpr const char* kExamples =
    "Examples:\n"
    "  lanesort sort x.npy -o sorted.npy                      sort an array\n"
    "  find / -printf '%s\\n' | lanesort -r | head             the largest numbers of a text, first\n"
    "  lanesort argsort keys.u64 -o order.npy                 which item goes where\n"
    "\n"
    "lanesort sorts numbers: .npy, raw, text and JSON; stable in both directions, the same bytes on every device.\n"
    "Without a command, 'lanesort IN' sorts.";

constexpr const char* kOrderNote =
    "\nTexts hold one number a line; a blank line is an error that names its line."
    "\nOrder: stable; -0.0 equals 0.0, and NaN (and NaT) stand after all numbers in both directions unless --nan says "
    "otherwise."
    "\nExit status: 0 good, 1 check or verify says no, 2 usage or trouble, 3 the device asked for is missing.";

// Variables of the environment, and what they do.
const std::vector<std::pair<std::string, std::string>> kEnvironment = {
    {"LANESORT_WEBGPU_LIB", "The shared library of Dawn that --device webgpu opens"},
    {"LANESORT_CUDA_DRIVER", "The CUDA driver, where it is not libcuda.so.1"},
    {"LANESORT_FORCE_ISA", "The code path: baseline, avx2, avx512, or no_subgroups on WebGPU; what is not there is not forced"},
    {"LANESORT_FORCE_FORM", "reduce_then_scan or single_pass, of a WebGPU sort, whatever the tuning says"},
    {"LANESORT_NVTX", "Set to anything: as --nvtx, in every program that uses the library"},
    {"NO_COLOR", "No colour unless --color says always"},
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) (text += text.empty() ? "" : " ") += word;
  return text;
}

struct RawText {  // options with a grammar of their own, before they are understood
  std::optional<std::string> dtype, bits, memory, gpu_memory;
  std::string check, index, order, nan, format, axis;
  std::string colour;
  bool reverse = false, accepted = false, smallest = false;
};

// 010 is ten. CLI11 alone reads it as eight, and 0x10 as sixteen.
const CLI::Validator kDecimal(
    [](std::string& text) -> std::string {
      if (text.empty() || text.find_first_not_of("0123456789") != text.npos) return text + " is no whole number";
      text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
      return {};
    },
    "");

void add_threads(CLI::App& app, Options& o) {
  app.add_option("--threads,--parallel", o.threads, "Threads (default: all)")->type_name("N")->transform(kDecimal);
}

void add_order_options(CLI::App& app, RawText& raw) {
  auto* order = app.add_option("--order", raw.order, "asc (default) or desc")->check(CLI::IsMember({"asc", "desc"}));
  app.add_flag("-r,--reverse", raw.reverse, "Descending; equal keys still keep the order they came in")
      ->excludes(order);
}

// What a key is and how it is compared, but for the direction.
void add_device(CLI::App& app, Options& o, RawText& raw) {
  app.add_option("--device", o.device, "auto, cpu, cuda[:i], webgpu[:i], or cuda[:i]+cpu: host and device share the work")
      ->type_name("DEVICE");
  app.add_option("--gpu-mem", raw.gpu_memory,
                 "Memory of the cuda device that may be used, as in 500M or 2GiB (default: all that is free). More items than it holds go "
                 "there in chunks, twice")
      ->type_name("SIZE");
  app.add_flag("--nvtx", o.nvtx, "Name the host's phases for nsys and other listeners to NVTX");
}

void add_key_kind_options(CLI::App& app, Options& o, RawText& raw) {
  app.add_option("--nan", raw.nan, "Where NaN stands: last (default), first, or bits: IEEE 754 totalOrder, the fastest")
      ->check(CLI::IsMember({"last", "first", "bits"}));
  app.add_option("--dtype", raw.dtype,
                 "What raw data hold, or text must fit: " + joined(bench::dtype_names()))
      ->type_name("DTYPE");
  app.add_option("--format", raw.format, "raw, npy, text or json, of the input. If not given: .npy by its first bytes, then what the suffix says "
                 "(.npy .txt .text .json .bin .raw or a dtype), then text or JSON where the first bytes are printable, "
                 "else raw, which needs --dtype. A raw suffix over what looks like a text is refused")
      ->check(CLI::IsMember({"raw", "npy", "text", "json"}));
  app.add_option("--bits", raw.bits, "LOW:HIGH, order by these bits of the mapped key only; 5:5 changes nothing")
      ->type_name("LOW:HIGH");
  add_device(app, o, raw);
  add_threads(app, o);
  app.add_option("-S,--buffer-size", raw.memory,
                 "Memory that may be used; b K M G T P or %, as in 500M or 2GiB (default unit K). More is refused before anything is read")
      ->type_name("SIZE");
}

void add_key_options(CLI::App& app, Options& o, RawText& raw) {
  add_order_options(app, raw);
  add_key_kind_options(app, o, raw);
}

void add_talk_options(CLI::App& app, Options& o) {
  app.add_flag("--json", o.json, "Say what was done as JSON, on standard output unless the data go there");
  app.add_flag("--stats", o.stats, "Say how long reading, sorting and writing took");
  app.add_flag("-q,--quiet", o.quiet, "Errors only");
  app.add_flag("-v,--verbose", o.verbose, "Say more");
}

void add_output_options(CLI::App& app, Options& o) {
  app.add_option("-o,--output", o.output,
                 "Where the result goes, in the format that its suffix says, as --format lists them; without one in that "
                 "of the input. May be the input. Whole or absent; the name gets a new file, so that other hard links "
                 "keep the old data. Default: standard output")
      ->type_name("FILE");
  app.add_flag("--dry-run", o.dry_run, "Say what would be done and what memory it takes; read and write nothing");
}

void add_input(CLI::App& app, Options& o) {
  app.add_option("IN", o.input, "The file; - or nothing is standard input")->type_name("FILE");
}

void add_segments(CLI::App& app, Options& o, RawText& raw) {
  app.add_option("--segments", o.segments,
                 "Each segment by itself: N items each, or a file of n+1 offsets that rise, u64, raw or .npy. What is "
                 "before the first and behind the last stays. Rows of an array are segments anyway")
      ->type_name("N|FILE");
  app.add_option("--axis", raw.axis, "-1: an array of several dimensions is sorted along its last axis, and no other")
      ->type_name("AXIS");
}

void add_sort(CLI::App& root, Options& o, RawText& raw) {
  CLI::App* app = root.add_subcommand("sort", "Sort the numbers of a file (the command that needs no name)");
  add_input(*app, o);
  add_output_options(*app, o);
  add_key_options(*app, o, raw);
  app->add_option("--values", o.values,
                  "Files whose items move with the keys: .npy, or raw of any width; as many items as keys")
      ->type_name("FILE");
  app->add_option("--values-out", o.values_out,
                  "Where they go, as many as --values. Default: a.npy goes to a.sorted.npy")
      ->type_name("FILE");
  app->add_flag("-u,--unique", o.unique, "Of equal keys the first alone, and what moves with it; zeros are equal, and so are NaNs, but for --nan bits");
  add_segments(*app, o, raw);
  app->add_flag("-c{diagnose-first},-C{silent},--check{diagnose-first}", raw.check,
                "Check only, as the command check does; -C says nothing");
  app->add_flag("-s,--stable,-n,--numeric-sort", raw.accepted, "Accepted: the order is always stable and numeric");
  add_talk_options(*app, o);
  app->footer(kOrderNote);
}

void add_argsort(CLI::App& root, Options& o, RawText& raw) {
  CLI::App* app = root.add_subcommand(
      "argsort",
      "Write the indices that would sort a file: in the format that FILE's suffix says, else in that of the input");
  add_input(*app, o);
  add_output_options(*app, o);
  app->add_option("--index", raw.index, "u32 or u64 indices; default u32 where the count fits")
      ->check(CLI::IsMember({"u32", "u64"}));
  add_segments(*app, o, raw);
  app->add_flag("--local", o.local_indices,
                "Indices count from the begin of their segment, not from the first item; along an axis they always do");
  add_key_options(*app, o, raw);
  app->add_flag("-s,--stable,-n,--numeric-sort", raw.accepted, "Accepted: the order is always stable and numeric");
  add_talk_options(*app, o);
  app->footer(kOrderNote);
}

void add_merge(CLI::App& root, Options& o, RawText& raw) {
  CLI::App* app = root.add_subcommand(
      "merge", "Merge sorted files into one: the bytes that sorting them together gives, in the files' order among equals");
  app->add_option("IN", o.inputs, "Files in the order asked for, all of one dtype or all texts; - is standard input. "
                  "One that is not in order is refused by name and first offender")
      ->type_name("FILE")
      ->required();
  add_output_options(*app, o);
  add_key_options(*app, o, raw);
  app->add_flag("-s,--stable,-n,--numeric-sort", raw.accepted, "Accepted: the order is always stable and numeric");
  add_talk_options(*app, o);
  app->footer(kOrderNote);
}

void add_topk(CLI::App& root, Options& o, RawText& raw) {
  CLI::App* app = root.add_subcommand(
      "topk", "Write the first K of what sort would write, largest first, and with --indices where they stand in IN");
  add_input(*app, o);
  app->add_option("-k", o.k, "How many; more than there are is all of them")->type_name("K")->required()->transform(kDecimal);
  auto* largest = app->add_flag("--largest", raw.reverse, "The largest, descending, as sort -r (default)");
  app->add_flag("--smallest", raw.smallest, "The smallest, ascending, as sort")->excludes(largest);
  add_output_options(*app, o);
  app->add_option("--indices", o.indices_out, "Where the places of the kept keys go, counted from 0; of equal keys the first ones are kept")
      ->type_name("FILE");
  app->add_option("--index", raw.index, "u32 or u64 indices; default u32 where the count fits")
      ->check(CLI::IsMember({"u32", "u64"}));
  add_key_kind_options(*app, o, raw);
  add_talk_options(*app, o);
  app->footer(kOrderNote);
}

void add_check(CLI::App& root, Options& o, RawText& raw) {
  CLI::App* app = root.add_subcommand("check", "Is the file sorted? Exit 0 if so, 1 and the first offender if not");
  add_input(*app, o);
  app->add_flag("-C,--silent", o.silent_check, "Say nothing");
  add_key_options(*app, o, raw);
  add_talk_options(*app, o);
  app->footer(kOrderNote);
}

void add_verify(CLI::App& root, Options& o, RawText& raw) {
  CLI::App* app = root.add_subcommand(
      "verify", "Is OUT a sort of IN: in order, and nothing lost, added or changed? Exit 0 if so, 1 if not");
  app->add_option("IN", o.input, "The file that was sorted")->type_name("FILE")->required();
  app->add_option("OUT", o.second_input, "What came of it")->type_name("FILE")->required();
  app->add_flag("--argsort", o.judges_indices, "OUT holds the indices that argsort wrote");
  app->add_option("--values", o.values, "One file that moved with the keys, as it was before")
      ->type_name("FILE")
      ->expected(1);
  app->add_option("--values-out", o.values_out, "and after")->type_name("FILE")->expected(1);
  add_key_options(*app, o, raw);
  add_talk_options(*app, o);
  app->footer(kOrderNote);
}

void add_gen(CLI::App& root, Options& o, RawText& raw) {
  CLI::App* app = root.add_subcommand(
      "gen", "Make test data, the same bytes everywhere: PATTERN:DTYPE:COUNT[:seed=N], as in uniform:u32:1e8:seed=7");
  app->add_option("SPEC", o.spec, "What to make")->required();
  app->add_option("-o,--output", o.output,
                  "Where it goes: .npy, .txt, .json, anything else raw. Default: standard output")
      ->type_name("FILE");
  app->add_option("--format", raw.format, "raw, npy, text or json, whatever the name")
      ->check(CLI::IsMember({"raw", "npy", "text", "json"}));
  add_threads(*app, o);
  add_talk_options(*app, o);
  app->footer([] { return "\nPatterns:\n" + bench::pattern_help(); });
}

void add_bench(CLI::App& root, Options& o, RawText& raw) {
  CLI::App* app = root.add_subcommand("bench", "Time the sorts on this machine, verified, and the rivals beside them");
  app->add_option("--op", o.bench.op, "sort, sort_pairs, argsort, top_k beside a sort of all, or merge: structs of 32 bytes by the comparator sort of merge.hpp")
      ->check(CLI::IsMember({"sort", "sort_pairs", "argsort", "top_k", "merge"}));
  app->add_option("-k,--k", o.bench.k, "How many keys top_k keeps")->type_name("K")->transform(kDecimal);
  app->add_option("--dtype", o.bench.dtype, "Key (default u32; merge knows u64 alone)")->type_name("DTYPE");
  app->add_option("--value-bytes", o.bench.value_bytes, "Bytes of a value, or of an index")
      ->type_name("V")
      ->transform(kDecimal);
  app->add_option("--count", o.bench.counts, "How many, as in 1e6,1e7,2^24+1 (default 1e7; with --ladder 1e3,1e5,1e6,1e7)")->type_name("N[,N...]");
  app->add_option("--pattern", o.bench.pattern, "One of: " + bench::pattern_names())->type_name("PATTERN");
  app->add_option("--segments", o.segments, "Each segment by itself, of N keys or, with zipf, of 1 to a million; rivals sort them in a loop")
      ->type_name("N|zipf");
  app->add_option("--seed", o.bench.seed, "Of the pattern (default 1)")->type_name("N")->transform(kDecimal);
  auto* order = app->add_option("--order", raw.order, "asc (default) or desc")->check(CLI::IsMember({"asc", "desc"}));
  app->add_flag("-r,--reverse", raw.reverse, "Descending")->excludes(order);
  app->add_option("--bits", raw.bits, "LOW:HIGH, order by these bits of the mapped key only")->type_name("LOW:HIGH");
  app->add_flag("--src-dst", o.bench.src_dst, "From one buffer to another rather than in place");
  add_device(*app, o, raw);
  add_threads(*app, o);
  app->add_flag("--ladder", o.bench.ladder,
                "The ways to sort from the plainest to ours, u8 and u32, each proved and beside std::sort; with --count, --dtype, --pattern, --seed, --threads, --json");
  app->add_option("--budget", o.bench.budget_s, "Seconds of samples for one contender at one count (default 3), or for one rung of the ladder (default 10), "
                  "where what would take longer is left out")
      ->type_name("S");
  app->add_flag("--rivals{*}", o.bench.rivals,
                "Other sorts too, as far as they are installed; --rivals=std:: for those whose names begin so");
  app->add_flag("--tune{*}", o.bench.tune,
                "With --device webgpu: the same sort by every shape of tiles that the device holds, and the row of "
                "src/tune/portable_shapes.hpp that the best of them makes; --tune=256x8,512x12 for some");
  app->add_option("--json", o.bench.json_file, "Write the results file; - is standard output")->type_name("FILE");
  app->add_flag("-q,--quiet", o.quiet, "No progress");
  app->footer([] { return "\nPatterns:\n" + bench::pattern_help(); });
}

void add_report(CLI::App& root, Options& o) {
  CLI::App* app = root.add_subcommand("report", "Make one page of results files that bench --json wrote: charts, losses first, and what changed from file to file");
  app->add_option("RESULTS", o.inputs, "Results files; those of one machine and commit count as one run, and every other run is held to the first")
      ->type_name("FILE")
      ->required();
  app->add_option("-o,--output", o.output, "Where the page goes, HTML that needs no network. Default: standard output")->type_name("FILE");
  app->add_option("--svg", o.svg_folder, "A folder for the charts, each a file of its own; without --output no page is written")->type_name("FOLDER");
  app->add_flag("-q,--quiet", o.quiet, "Errors only");
}

void add_info(CLI::App& root, Options& o) {
  CLI::App* app = root.add_subcommand("info", "Back ends, threads, instruction set, memory, limits");
  app->add_flag("--json", o.json, "As JSON");
}

void add_doctor(CLI::App& root, Options& o) {
  CLI::App* app = root.add_subcommand("doctor", "A few small sorts on every back end, held to the standard library's");
  app->add_flag("--json", o.json, "As JSON");
}

// On every command, since scripts set it without asking which.
void add_colour(CLI::App& root, RawText& raw) {
  for (CLI::App* app : root.get_subcommands([](CLI::App*) { return true; }))
    app->add_option("--color,--colour", raw.colour, "auto (default: on a terminal), always or never")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->type_name("WHEN");
}

Format format_of(const std::string& name) {
  if (name == "raw") return Format::raw;
  if (name == "npy") return Format::npy;
  if (name == "text") return Format::text;
  return name == "json" ? Format::json : Format::automatic;
}

void understand(Options& o, const RawText& raw) {
  if (raw.dtype) o.dtype = parse_dtype(*raw.dtype);
  if (raw.bits) parse_bit_range(*raw.bits, o.bit_begin, o.bit_end);
  if (raw.memory) o.memory_limit_bytes = parse_memory_size(*raw.memory);
  if (raw.gpu_memory) o.gpu_memory_bytes = std::max<std::uint64_t>(1, parse_memory_size(*raw.gpu_memory, "--gpu-mem"));
  if (raw.reverse || raw.order == "desc") o.order = LANESORT_DESCENDING;
  if (raw.nan == "first") o.float_order = LANESORT_FLOAT_NAN_FIRST;
  if (raw.nan == "bits") o.float_order = LANESORT_FLOAT_BITS;
  if (!raw.index.empty()) o.index_bytes = raw.index == "u32" ? 4 : 8;
  o.format = format_of(raw.format);
  if (raw.colour == "always") o.colour = Colour::always;
  if (raw.colour == "never") o.colour = Colour::never;
  if (!raw.axis.empty() && raw.axis != "-1")
    throw Usage("--axis " + raw.axis + ": arrays are sorted along their last axis, -1; transpose for another one");
  if (o.local_indices && o.segments.empty())
    throw Usage("--local counts from each segment's begin; say --segments N or FILE");
  if (!raw.check.empty()) {
    if (raw.check != "diagnose-first" && raw.check != "silent" && raw.check != "quiet") {
      throw Usage("--check=" + raw.check + ": there are diagnose-first, quiet and silent");
    }
    if (o.output != "-" || !o.values.empty())
      throw Usage("--check writes nothing, so that it goes with neither --output nor --values");
    if (o.unique) throw Usage("--check asks for order alone, equal keys or not, so that it does not go with -u");
    if (!o.segments.empty()) throw Usage("--check looks at the whole, so that it does not go with --segments");
    o.command = Command::check;
    o.silent_check = raw.check != "diagnose-first";
  }
  if (o.command == Command::topk) {
    if (!raw.smallest) o.order = LANESORT_DESCENDING;
    if (o.output == o.indices_out) throw Usage(o.output + ": keys and their places cannot both go there; give each its own name");
  }
  if (o.command == Command::merge) {
    if (std::count(o.inputs.begin(), o.inputs.end(), "-") > 1) throw Usage("standard input cannot be two of the inputs");
    o.input = o.inputs[0];
  }
  if (o.command == Command::sort && !o.input_named && o.values.size() > 1) {
    throw Usage(o.values.back() + ": was taken as one of the --values files, and no IN is left; put IN before --values, " +
                "or write -- before it (or - for standard input)");
  }
  if (!o.values_out.empty() && o.values_out.size() != o.values.size()) {
    throw Usage("--values-out names " + std::to_string(o.values_out.size()) + " files and --values " +
                std::to_string(o.values.size()) + "; give one for each");
  }
  if (o.command == Command::verify && o.values.size() != o.values_out.size())
    throw Usage("verify looks at values before and after: give --values and --values-out");
}

Command command_of(const std::string& name) {
  if (name == "argsort") return Command::argsort;
  if (name == "merge") return Command::merge;
  if (name == "topk") return Command::topk;
  if (name == "check") return Command::check;
  if (name == "verify") return Command::verify;
  if (name == "gen") return Command::gen;
  if (name == "bench") return Command::bench;
  if (name == "report") return Command::report;
  if (name == "doctor") return Command::doctor;
  return name == "info" ? Command::info : Command::sort;
}

std::string version_text() {
  std::string text = std::string("lanesort ") + lanesort_version_string() + "\nback ends:";
  for (std::uint32_t i = 0; lanesort_backend_name(i) != nullptr; ++i) (text += ' ') += lanesort_backend_name(i);
  return text + "\n";
}

std::vector<std::string> command_names(const CLI::App& root) {
  std::vector<std::string> names;
  for (const CLI::App* app : root.get_subcommands([](const CLI::App*) { return true; })) names.push_back(app->get_name());
  return names;
}

bool has(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// 'lanesort IN' means 'lanesort sort IN'.
std::vector<std::string> with_command(const CLI::App& root, std::vector<std::string> words) {
  static const std::vector<std::string> kOwn = {"-h", "--help", "--version"};
  if (words.empty() || (!has(command_names(root), words[0]) && !has(kOwn, words[0]))) words.insert(words.begin(), "sort");
  return words;
}

std::string suggestion(const CLI::App& root, const std::vector<std::string>& words) {
  const CLI::App* app = &root;
  for (const CLI::App* sub : root.get_subcommands()) app = sub;
  std::vector<std::string> names;
  for (const CLI::Option* option : app->get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (const std::string& word : words) {
    if (!word.starts_with("--") || word == "--") continue;
    const std::string name = word.substr(0, word.find('='));
    if (has(names, name)) continue;
    const std::string guess = bench::suggestion(name, names);
    if (!guess.empty()) return guess;
  }
  return {};
}

CLI::App* subcommand(CLI::App& root, const std::string& name) {
  for (CLI::App* app : root.get_subcommands([](CLI::App*) { return true; }))
    if (app->get_name() == name) return app;
  return nullptr;
}

bool is_file(const std::string& name) { return access(name.c_str(), F_OK) == 0; }

// 'lanesort --dtype f64 argsort x.npy' sorts a file of the name argsort.
std::string misplaced_command(const CLI::App& root, const std::vector<std::string>& given) {
  if (given.empty() || !given[0].starts_with("-")) return {};
  for (const std::string& word : given)
    if (has(command_names(root), word) && !is_file(word))
      return word + ": neither an option nor a file; a command comes first, as in lanesort " + word + " " + given[0];
  return {};
}

// 'lanesort srot x.npy' was taken for a file and one too many, 'lanesort docto' for a file.
std::string mistyped_command(const CLI::App& root, const std::string& word) {
  if (word.find_first_of("./-") != word.npos || is_file(word)) return {};
  const std::string near = bench::nearest(word, command_names(root));
  return near.empty() ? near : word + ": neither a command nor a file; did you mean lanesort " + near + "?";
}

std::string explain(const CLI::App& root, const CLI::ParseError& error, const std::vector<std::string>& words) {
  if (words[0] == "sort" && words.size() > 1) {
    if (const std::string mistyped = mistyped_command(root, words[1]); !mistyped.empty()) return "lanesort: " + mistyped + "\n";
    const std::string misplaced = misplaced_command(root, {words.begin() + 1, words.end()});
    if (!misplaced.empty()) return "lanesort: " + misplaced + "\n";
  }
  std::string text = error.what();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return "lanesort: " + text + suggestion(root, words) + "\nTry 'lanesort " + words[0] + " --help'.\n";
}

bool names_input(const CLI::App& root) {
  for (const CLI::App* app : root.get_subcommands())
    if (const CLI::Option* in = app->get_option_no_throw("IN")) return in->count() != 0;
  return false;
}

void expect_command_first(const CLI::App& root, const Options& o, const std::vector<std::string>& given) {
  if (!o.input_named || given.empty()) return;
  if (given[0] == o.input)
    if (const std::string mistyped = mistyped_command(root, given[0]); !mistyped.empty()) throw Usage(mistyped);
  const std::string misplaced = misplaced_command(root, given);
  if (misplaced.starts_with(o.input + ":")) throw Usage(misplaced);
}

std::string help_text(CLI::App& root, const std::string& topic) {
  root.clear();  // or it is the help of the command that was parsed
  if (topic.empty()) return root.help();
  const CLI::App* about = subcommand(root, topic);
  if (about == nullptr) throw Usage("help " + topic + ": no such command" + bench::suggestion(topic, command_names(root)));
  return about->help("lanesort");
}

std::string environment_text() {
  std::string text = "\nEnvironment:\n";
  for (const auto& [name, help] : kEnvironment) text += "  " + name + std::string(26 - name.size(), ' ') + help + "\n";
  return text;
}

// What the table says a value may be: {a,b} of a check, or all of a kind.
std::vector<std::string> words_of(const std::string& type) {
  const auto brace = type.find('{');
  if (brace == type.npos) {
    if (type == "DTYPE") return bench::dtype_names();
    if (type == "DEVICE") return device_names();
    std::istringstream names(type == "PATTERN" ? bench::pattern_names() : "");
    return {std::istream_iterator<std::string>(names), {}};
  }
  std::vector<std::string> words;
  std::istringstream list(type.substr(brace + 1, type.find('}') - brace - 1));
  for (std::string word; std::getline(list, word, ',');) words.push_back(word);
  return words;
}

OptionUsage usage_of(const CLI::Option& option) {
  OptionUsage usage;
  for (const std::string& name : option.get_snames()) usage.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) usage.names.push_back("--" + name);
  if (usage.names.empty()) usage.names.push_back(option.get_name(true));
  if (option.get_items_expected_max() != 0) {
    const std::string type = option.get_type_name();
    usage.words = words_of(type);
    usage.argument = type.substr(0, type.find(":{"));
  }
  usage.help = option.get_description();
  usage.many = option.get_items_expected_max() > 1;
  usage.required = option.get_required();
  return usage;
}

CommandUsage usage_of(const CLI::App& app) {
  CommandUsage usage{app.get_parent() == nullptr ? "" : app.get_name(), app.get_description(), app.get_footer(), {}};
  for (const CLI::Option* option : app.get_options()) usage.options.push_back(usage_of(*option));
  return usage;
}

ProgramUsage usage_of_program(const CLI::App& root) {
  ProgramUsage usage{kExamples, kEnvironment, {usage_of(root)}};
  usage.commands[0].notes.clear();  // the environment, which has a place of its own
  for (const CLI::App* app : root.get_subcommands([](const CLI::App*) { return true; })) usage.commands.push_back(usage_of(*app));
  for (CommandUsage& command : usage.commands)
    for (OptionUsage& option : command.options)
      if (option.names[0] == "COMMAND") option.words = command_names(root);
  return usage;
}
}  // namespace

Parsed parse_options(int argc, const char* const* argv, bool input_is_terminal) {
  Parsed parsed;
  const auto end = [&parsed](int status, std::string text) {
    parsed.exit_status = status;
    parsed.text = std::move(text);
    return parsed;
  };
  if (argc <= 1 && input_is_terminal) return end(kTrouble, std::string(kExamples) + "\n\nTry 'lanesort --help'.\n");

  RawText raw;
  CLI::App root(kExamples, "lanesort");
  root.set_help_flag("-h,--help", "Show this");
  root.require_subcommand(0, 1);
  bool version = false;
  root.add_flag("--version", version, "Version and the back ends built in");
  add_sort(root, parsed.options, raw);
  add_argsort(root, parsed.options, raw);
  add_merge(root, parsed.options, raw);
  add_topk(root, parsed.options, raw);
  add_check(root, parsed.options, raw);
  add_verify(root, parsed.options, raw);
  add_gen(root, parsed.options, raw);
  add_bench(root, parsed.options, raw);
  add_report(root, parsed.options);
  add_info(root, parsed.options);
  add_doctor(root, parsed.options);
  std::string topic;
  CLI::App* help = root.add_subcommand("help", "Show this, or the help of a command");
  help->add_option("COMMAND", topic, "The command");
  const CLI::App* man = root.add_subcommand("man", "Print the manual page: lanesort man | man -l -");
  std::string shell;
  CLI::App* completion = root.add_subcommand("completion", "Print a shell's completion script: source <(lanesort completion bash)");
  completion->add_option("SHELL", shell, "The shell")->required()->check(CLI::IsMember(std::vector<std::string>(std::begin(kShells), std::end(kShells))));
  add_colour(root, raw);
  root.footer(environment_text());

  const std::vector<std::string> given(argv + std::min(argc, 1), argv + argc);
  const std::vector<std::string> words = with_command(root, given);
  try {
    root.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 takes them from the back
    if (version) return end(kGood, version_text());
    if (help->parsed()) return end(kGood, help_text(root, topic));
    if (man->parsed()) return end(kGood, man_page(usage_of_program(root)));
    if (completion->parsed()) return end(kGood, completion_script(usage_of_program(root), shell));
    parsed.options.command = command_of(words[0]);
    parsed.options.input_named = names_input(root);
    expect_command_first(root, parsed.options, given);
    understand(parsed.options, raw);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = root.get_subcommands();
    return end(kGood, help_text(root, chosen.empty() ? "" : chosen[0]->get_name()));
  } catch (const CLI::ParseError& error) {
    return end(kTrouble, explain(root, error, words));
  }
  return parsed;
}

}  // namespace lanesort::cli
