// The manual page, in roff's man macros. What several commands share is said once.
#include <lanesort/lanesort.h>

#include <algorithm>
#include <sstream>

#include "usage.hpp"

namespace lanesort::cli {
namespace {

std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n'))
      (out += "\\&") += c;
    else
      out += c;
  }
  return out;
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) (text += text.empty() ? "" : between) += word;
  return text;
}

std::string argument_of(const OptionUsage& option) {
  const bool listed =
      !option.argument.empty() && !option.words.empty() && option.words.size() < 6;  // else the help lists them
  const std::string text = listed ? joined(option.words, "|") : option.argument;
  return option.many ? text + " ..." : text;
}

std::string head_of(const OptionUsage& option) {
  std::string head;
  for (const std::string& name : option.names) (head += head.empty() ? "\\fB" : "\\fR, \\fB") += roff(name);
  const std::string argument = option.positional() ? "" : argument_of(option);
  return head + "\\fR" + (argument.empty() ? "" : " \\fI" + roff(argument) + "\\fR");
}

void print(std::ostream& out, const OptionUsage& option) {
  out << ".TP\n" << head_of(option) << '\n' << roff(option.help) << '\n';
}

// Lines that begin with a blank are tables.
void print_text(std::ostream& out, const std::string& text) {
  std::istringstream lines(text);
  bool table = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    if (line.starts_with(' ') != table) out << ((table = !table) ? ".nf\n" : ".fi\n");
    out << (table ? "" : ".PP\n") << roff(line) << '\n';
  }
  if (table) out << ".fi\n";
}

std::string synopsis(const CommandUsage& command) {
  std::string text = "\\fBlanesort" + (command.name.empty() ? "" : " " + roff(command.name)) + "\\fR [\\fIoptions\\fR]";
  for (const OptionUsage& option : command.options) {
    if (!option.positional()) continue;
    const std::string name = option.names[0] + (option.many ? " ..." : "");
    text += option.required ? " \\fI" + name + "\\fR" : " [\\fI" + name + "\\fR]";
  }
  return text;
}

std::vector<OptionUsage> shared_options(const ProgramUsage& program) {
  std::vector<OptionUsage> seen, shared;
  for (const CommandUsage& command : program.commands)
    for (const OptionUsage& option : command.options) {
      const auto named = [&](const OptionUsage& other) { return other.names == option.names; };
      if (std::any_of(shared.begin(), shared.end(), named)) continue;  // of a second meaning each command tells
      const bool again = std::find(seen.begin(), seen.end(), option) != seen.end();
      (again ? shared : seen).push_back(option);
    }
  return shared;
}

void print_command(std::ostream& out, const CommandUsage& command, const std::vector<OptionUsage>& shared) {
  out << ".SS " << (command.name.empty() ? "without a command" : command.name) << '\n'
      << synopsis(command) << "\n.PP\n";
  if (!command.name.empty()) out << roff(command.help) << ".\n";
  std::vector<std::string> others;
  for (const OptionUsage& option : command.options) {
    if (std::find(shared.begin(), shared.end(), option) == shared.end())
      print(out, option);
    else
      others.push_back(roff(*std::find_if(option.names.begin(), option.names.end() - 1,
                                          [](const std::string& name) { return name.starts_with("--"); })));
  }
  if (!others.empty()) out << ".PP\nAlso, as below: " << joined(others, ", ") << ".\n";
}

void print_notes(std::ostream& out, const ProgramUsage& program) {
  std::vector<std::pair<std::string, std::vector<std::string>>> notes;  // a text, whose it is
  for (const CommandUsage& command : program.commands) {
    if (command.notes.empty()) continue;
    const auto found =
        std::find_if(notes.begin(), notes.end(), [&](const auto& n) { return n.first == command.notes; });
    if (found != notes.end())
      found->second.push_back(command.name);
    else
      notes.push_back({command.notes, {command.name}});
  }
  out << ".SH NOTES\n";
  for (const auto& [text, commands] : notes) {
    out << ".SS " << joined(commands, ", ") << '\n';
    print_text(out, text);
  }
}

}  // namespace

std::string man_page(const ProgramUsage& program) {
  std::ostringstream out;
  out << ".TH LANESORT 1 \"\" \"lanesort " << lanesort_version_string() << "\" \"User Commands\"\n.nh\n.ad l\n"
      << ".SH NAME\nlanesort \\- sort numbers, stably, to the same bytes on every device\n.SH SYNOPSIS\n";
  for (const CommandUsage& command : program.commands)
    if (!command.name.empty()) out << synopsis(command) << "\n.br\n";
  out << ".SH DESCRIPTION\n";
  print_text(out, program.examples);
  out << ".SH COMMANDS\n";
  const std::vector<OptionUsage> shared = shared_options(program);
  for (const CommandUsage& command : program.commands) print_command(out, command, shared);
  out << ".SH OPTIONS OF SEVERAL COMMANDS\n";
  for (const OptionUsage& option : shared) print(out, option);
  print_notes(out, program);
  out << ".SH ENVIRONMENT\n";
  for (const auto& [name, help] : program.environment)
    out << ".TP\n\\fB" << roff(name) << "\\fR\n" << roff(help) << '\n';
  return std::move(out).str();
}

}  // namespace lanesort::cli
