// Output: a file that is whole or absent. Bytes go to a temporary file in the target's directory; commit() puts it
// in the target's place in one step. Where the file system can, the temporary has no name (O_TMPFILE) until then,
// so a killed process leaves nothing behind; elsewhere its name is removed on failure and on SIGINT, SIGTERM and
// SIGHUP.
//
// Symbolic links are followed, and the replaced file's mode and owner kept. What is no regular file (a device, a
// pipe, standard output) is written to directly. No fsync: whole against crashes of programs, not of machines.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/file.hpp"

namespace lanesort::io {

class Output {
 public:
  // "-" is standard output. Reserves expected_bytes on the disk where it can, so that a full disk is found out
  // before the work. binary data is refused to a terminal.
  Output(const std::string& path, std::optional<std::uint64_t> expected_bytes, bool binary);
  Output(Output&& other) noexcept;
  Output& operator=(Output&&) = delete;
  ~Output();  // without commit(): as if it had never been

  const std::string& name() const { return name_; }

  void write(std::span<const std::byte> bytes, Meter* meter = nullptr);
  void write(std::string_view text, Meter* meter = nullptr) {
    write(std::as_bytes(std::span(text.data(), text.size())), meter);
  }

  void commit();

 private:
  explicit Output(const std::string& path) : name_(path) {}

  void open_standard_output();
  void open_direct();
  void open_temporary();
  void keep_mode_and_owner();
  void reserve(std::uint64_t expected_bytes);
  void link_in_place();
  void close_file();
  [[noreturn]] void fail(const std::string& what, int error) const;

  std::string name_;       // as the user wrote it
  std::string target_;     // with symbolic links resolved
  std::string directory_;  // of the target
  std::string temporary_;  // its name, while it has one
  int fd_ = -1;
  bool owned_ = false;
  bool staged_ = false;      // goes through a temporary
  bool registered_ = false;  // temporary_ is in the list that the signal handler clears
  std::uint64_t written_bytes_ = 0;
  std::uint64_t expected_bytes_ = 0;
};

// From now on SIGINT, SIGTERM and SIGHUP remove the named temporaries and end the process (130 for SIGINT), and a
// vanished reader or a file size limit is an error of write() rather than a signal. Signals that were ignored when
// the process started stay ignored.
void install_signal_handlers();

}  // namespace lanesort::io
