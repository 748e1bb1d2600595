// What went wrong with a file, in words a user can act on: path, cause, value, limit, remedy. The command line
// prints it after "lanesort: " and exits 2. Invariant: every failure of this room is one of these.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace lanesort::io {

class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The reader of our output went away. Nobody is left to read a message, so it is kept apart.
class BrokenPipe : public Failure {
 public:
  using Failure::Failure;
};

// "PATH: WHAT: strerror(error)".
Failure system_failure(const std::string& path, const std::string& what, int error);

// A name as a message shows it: control characters as \xHH.
std::string printable(std::string_view name);

// "400000128 bytes (400 MB)"; small numbers without the bracket.
std::string bytes_in_words(std::uint64_t bytes);

}  // namespace lanesort::io
