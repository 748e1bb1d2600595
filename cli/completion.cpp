// Completion scripts. They hold all words themselves, so that pressing Tab never starts the program. 'lanesort IN' sorts, so
// what is no command completes as sort does.
#include <map>
#include <sstream>

#include "usage.hpp"

namespace lanesort::cli {
namespace {

std::string joined(const std::vector<std::string>& words, const char* between = " ") {
  std::string text;
  for (const std::string& word : words) (text += text.empty() ? "" : between) += word;
  return text;
}

std::vector<std::string> command_names(const ProgramUsage& program) {
  std::vector<std::string> names;
  for (const CommandUsage& command : program.commands)
    if (!command.name.empty()) names.push_back(command.name);
  return names;
}

std::vector<std::string> option_names(const CommandUsage& command) {
  std::vector<std::string> names;
  for (const OptionUsage& option : command.options)
    if (!option.positional()) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

bool takes_file(const OptionUsage& option) {
  return option.argument.find("FILE") != std::string::npos || option.argument == "FOLDER";
}

// Up to the first stop, without what the shells' own grammars would trip over.
std::string brief(const std::string& help) {
  std::string text;
  for (std::size_t i = 0; i < help.size() && text.size() < 70; ++i) {
    const char c = help[i];
    if ((c == '.' || c == ':' || c == ';') && (i + 1 == help.size() || help[i + 1] == ' ')) break;
    if (std::string_view("'\"[]()$`\\:").find(c) == std::string_view::npos) text += c;
  }
  return text;
}

std::string bash(const ProgramUsage& program) {
  std::ostringstream out;
  std::map<std::string, std::vector<std::string>> arguments;  // what completes an argument -> command:option
  std::map<std::string, std::vector<std::string>> positionals;
  for (const CommandUsage& command : program.commands)
    for (const OptionUsage& option : command.options) {
      if (option.argument.empty()) continue;
      const std::string words = takes_file(option) ? "files=yes" : "words='" + joined(option.words) + "'";
      std::vector<std::string>& known = positionals[words];
      if (option.positional() && (known.empty() || known.back() != command.name)) known.push_back(command.name);
      if (option.positional()) continue;
      for (const std::string& name : option.names) arguments[words].push_back(command.name + ":" + name);
    }
  out << "# bash completion, made by: lanesort completion bash\n_lanesort() {\n"
      << "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=sort words= files=\n"
      << "  [ \"$cur\" != = ] || cur=\n"
      << "  [ \"$prev\" != = ] || prev=${COMP_WORDS[COMP_CWORD-2]}\n"
      << "  if [ \"$COMP_CWORD\" -gt 1 ]; then\n    case ${COMP_WORDS[1]} in\n      "
      << joined(command_names(program), "|")
      << ") command=${COMP_WORDS[1]} ;;\n    esac\n  fi\n  case $command:$prev in\n";
  for (const auto& [words, patterns] : arguments) out << "    " << joined(patterns, "|") << ") " << words << " ;;\n";
  out << "    *)\n      case $cur in\n        -*)\n          case $command in\n";
  for (const CommandUsage& command : program.commands)
    if (!command.name.empty())
      out << "            " << command.name << ") words='" << joined(option_names(command)) << "' ;;\n";
  out << "          esac\n";
  out << "          [ \"$COMP_CWORD\" -gt 1 ] || words+=' --version'\n";
  out << "          ;;\n        *)\n          case $command in\n";
  for (const auto& [words, names] : positionals)
    if (!names.empty()) out << "            " << joined(names, "|") << ") " << words << " ;;\n";
  out << "          esac\n          [ \"$COMP_CWORD\" -gt 1 ] || words='" << joined(command_names(program))
      << "'\n          ;;\n"
      << "      esac\n      ;;\n  esac\n"
      << "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\"; [ -z \"$files\" ] || compgen -f -- \"$cur\")\n"
      << "  [ -z \"$files\" ] || compopt -o filenames 2>/dev/null\n  return 0\n}\ncomplete -F _lanesort lanesort\n";
  return std::move(out).str();
}

std::string zsh_action(const OptionUsage& option) {
  if (!option.words.empty()) return "(" + joined(option.words) + ")";
  if (option.argument == "FOLDER") return "_files -/";
  return takes_file(option) ? "_files" : " ";
}

std::string zsh(const ProgramUsage& program) {
  std::ostringstream out;
  out << "#compdef lanesort\n# zsh completion, made by: lanesort completion zsh\n_lanesort() {\n  local -a "
         "commands=(\n";
  for (const CommandUsage& command : program.commands)
    if (!command.name.empty()) out << "    '" << command.name << ':' << brief(command.help) << "'\n";
  out << "  )\n  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n    _describe command commands\n    _files\n    "
         "return\n  fi\n"
      << "  local command=sort\n  case $words[2] in\n    " << joined(command_names(program), "|")
      << ") command=$words[2]; shift words; (( CURRENT-- )) ;;\n  esac\n  case $command in\n";
  for (const CommandUsage& command : program.commands) {
    if (command.name.empty()) continue;
    out << "    " << command.name << ") _arguments -s";
    for (const OptionUsage& option : command.options) {
      const std::string argument =
          option.argument.empty() ? "" : ":" + brief(option.argument) + ":" + zsh_action(option);
      if (option.positional()) {
        out << " \\\n      '" << (option.many ? "*" : option.required ? "" : ":") << argument << "'";
        continue;
      }
      const bool several = option.names.size() > 1;
      out << " \\\n      "
          << (several ? "'(" + joined(option.names) + ")'{" + joined(option.names, ",") + "}" : option.names[0]) << "'["
          << brief(option.help) << "]" << argument << "'";
    }
    out << " ;;\n";
  }
  out << "  esac\n}\nif [ \"$funcstack[1]\" = _lanesort ]; then _lanesort \"$@\"; else compdef _lanesort lanesort; "
         "fi\n";
  return std::move(out).str();
}

std::string fish_option(const OptionUsage& option) {
  std::string text;
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.argument.empty()) text += takes_file(option) ? " -r -F" : " -x";
  if (!option.words.empty()) text += " -a '" + joined(option.words) + "'";
  return text + " -d '" + brief(option.help) + "'";
}

std::string fish(const ProgramUsage& program) {
  std::ostringstream out;
  const std::string names = joined(command_names(program));
  out << "# fish completion, made by: lanesort completion fish\n";
  for (const CommandUsage& command : program.commands) {
    if (command.name.empty()) continue;
    out << "complete -c lanesort -n '__fish_is_first_arg' -a " << command.name << " -d '" << brief(command.help)
        << "'\n";
    const std::string here = command.name == "sort"
                                 ? "not __fish_seen_subcommand_from " + names + "; or __fish_seen_subcommand_from sort"
                                 : "__fish_seen_subcommand_from " + command.name;
    bool files = false;
    for (const OptionUsage& option : command.options) {
      if (!option.positional())
        out << "complete -c lanesort -n '" << here << "'" << fish_option(option) << '\n';
      else if (!option.words.empty())
        out << "complete -c lanesort -n '" << here << "' -a '" << joined(option.words) << "'\n";
      files = files || (option.positional() && takes_file(option));
    }
    if (!files) out << "complete -c lanesort -n '" << here << "' -f\n";
  }
  return std::move(out).str();
}

}  // namespace

std::string completion_script(const ProgramUsage& program, const std::string& shell) {
  if (shell == "bash") return bash(program);
  return shell == "zsh" ? zsh(program) : fish(program);
}

}  // namespace lanesort::cli
