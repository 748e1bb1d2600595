// The option table as plain data, and the texts made of it for other programs: nothing of them is written by hand.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace lanesort::cli {

struct OptionUsage {
  std::vector<std::string> names;  // with their dashes; of a positional its one name without
  std::string argument;            // FILE, N ...; empty: a flag
  std::vector<std::string> words;  // what the argument may be, where that can be listed
  std::string help;
  bool many = false, required = false;

  bool positional() const { return !names[0].starts_with('-'); }
  bool operator==(const OptionUsage&) const = default;
};

struct CommandUsage {
  std::string name, help, notes;  // no name: the program itself
  std::vector<OptionUsage> options;
};

struct ProgramUsage {
  std::string examples;
  std::vector<std::pair<std::string, std::string>> environment;  // variable, what it does
  std::vector<CommandUsage> commands;
};

std::string man_page(const ProgramUsage& program);

inline constexpr const char* kShells[] = {"bash", "zsh", "fish"};
std::string completion_script(const ProgramUsage& program, const std::string& shell);

}  // namespace lanesort::cli
