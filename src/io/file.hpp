// Input: one file, pipe or standard input, read once from front to back into memory.
// Invariant: what read_exact() and read_rest() return is what the file held, all of it; a file that ends early,
// shrinks or cannot be read is a Failure with path and numbers. The input is never written to.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/buffer.hpp"

namespace lanesort::io {

using Meter = std::atomic<std::uint64_t>;  // bytes moved so far, for whoever watches from another thread

class Input {
 public:
  // "-" is standard input. threads: how many may read at once; large pieces of regular files take two.
  explicit Input(const std::string& path, unsigned threads = 1);
  Input(Input&& other) noexcept;
  Input& operator=(Input&&) = delete;
  ~Input();

  const std::string& name() const { return name_; }

  // Bytes not yet taken; nullopt where the size is not known before the end (pipes, devices, /proc).
  std::optional<std::uint64_t> remaining_bytes() const;

  // The next bytes, fewer than asked for only at the end. They stay to be read.
  std::span<const std::byte> peek(std::size_t count_bytes);

  // Fills the whole span, or fails.
  void read_exact(std::span<std::byte> to, Meter* meter = nullptr);

  // As far as the span goes or the file does.
  std::size_t read_some(std::span<std::byte> to, Meter* meter = nullptr);

  // Everything that is left; more than limit_bytes is a Failure that says so, before it is read where the size is
  // known.
  Buffer read_rest(std::uint64_t limit_bytes, Meter* meter = nullptr);

  // Fails if anything is left, saying how much where that is known.
  void expect_end(const std::string& after);

 private:
  std::size_t take_head(std::span<std::byte> to);
  std::size_t read_raw(std::span<std::byte> to, Meter* meter);
  std::size_t read_stream(std::span<std::byte> to, Meter* meter);
  std::size_t read_by_two(std::span<std::byte> to, Meter* meter) const;
  std::size_t read_at(std::span<std::byte> to, std::uint64_t offset, Meter* meter) const;

  std::string name_;
  unsigned threads_ = 1;
  int fd_ = -1;
  bool owned_ = false;
  bool regular_ = false;         // size known, positioned reads
  bool ended_ = false;  // a terminal would go on behind its end
  std::uint64_t offset_ = 0;     // of the next byte to ask the file for
  std::uint64_t end_ = 0;        // the size when it was opened
  std::vector<std::byte> head_;  // peeked at, not yet taken
};

}  // namespace lanesort::io
