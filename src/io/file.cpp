#include "io/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include "io/failure.hpp"

namespace lanesort::io {
namespace {
constexpr std::size_t kPiece = std::size_t{8} << 20;  // one read call
constexpr std::size_t kTwoReaders = std::size_t{32}
                                    << 20;  // from here on the copy out of the page cache pays for a thread
constexpr std::uint64_t kFirstGuess = std::uint64_t{1} << 20;  // room for a pipe before its size is known
}  // namespace

Input::Input(const std::string& path, unsigned threads)
    : name_(path == "-" ? "standard input" : printable(path)), threads_(threads) {
  if (path.empty()) throw Failure("'': is no name of a file");
  if (path == "-") {
    fd_ = STDIN_FILENO;
  } else {
    fd_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd_ < 0) throw system_failure(name_, "cannot be opened", errno);
    owned_ = true;
  }
  struct stat status;
  if (fstat(fd_, &status) != 0) {
    const int error = errno;
    if (owned_) close(fd_);
    throw system_failure(name_, "cannot be read", error);
  }
  if (S_ISDIR(status.st_mode)) {
    if (owned_) close(fd_);
    throw Failure(name_ + ": is a directory, and a file was expected");
  }
  const off_t here = lseek(fd_, 0, SEEK_CUR);
  // /proc and the like call themselves regular files of no bytes; those are read to their end.
  regular_ = S_ISREG(status.st_mode) && status.st_size > 0 && here >= 0;
  if (regular_) {
    end_ = static_cast<std::uint64_t>(status.st_size);
    offset_ = std::min(static_cast<std::uint64_t>(here), end_);
    posix_fadvise(fd_, 0, 0, POSIX_FADV_SEQUENTIAL);
  } else {
    fcntl(fd_, F_SETPIPE_SZ, 1 << 20);  // fewer wake-ups; fails harmlessly on what is no pipe
  }
}

Input::Input(Input&& other) noexcept
    : name_(std::move(other.name_)),
      threads_(other.threads_),
      fd_(other.fd_),
      owned_(std::exchange(other.owned_, false)),
      regular_(other.regular_),
      ended_(other.ended_),
      offset_(other.offset_),
      end_(other.end_),
      head_(std::move(other.head_)) {}

Input::~Input() {
  if (owned_) close(fd_);
}

std::optional<std::uint64_t> Input::remaining_bytes() const {
  if (!regular_) return std::nullopt;
  return end_ - offset_ + head_.size();
}

std::size_t Input::read_at(std::span<std::byte> to, std::uint64_t offset, Meter* meter) const {
  std::size_t done = 0;
  while (done < to.size()) {
    const std::size_t piece = std::min(kPiece, to.size() - done);
    const ssize_t got = pread(fd_, to.data() + done, piece, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_failure(name_, "cannot be read at byte " + std::to_string(offset + done), errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
    if (meter != nullptr) meter->fetch_add(static_cast<std::uint64_t>(got), std::memory_order_relaxed);
  }
  return done;
}

std::size_t Input::read_by_two(std::span<std::byte> to, Meter* meter) const {
  const std::size_t half = to.size() / 2 / kPiece * kPiece;
  std::size_t got_back = 0;
  std::exception_ptr trouble;
  std::thread back;
  try {
    back = std::thread([&] {
      try {
        got_back = read_at(to.subspan(half), offset_ + half, meter);
      } catch (...) {
        trouble = std::current_exception();
      }
    });
  } catch (const std::system_error&) {  // no more threads to be had
    return read_at(to, offset_, meter);
  }
  std::size_t got = 0;
  try {
    got = read_at(to.first(half), offset_, meter);
  } catch (...) {
    back.join();
    throw;
  }
  back.join();
  if (trouble) std::rethrow_exception(trouble);
  return got == half ? half + got_back : got;
}

std::size_t Input::read_raw(std::span<std::byte> to, Meter* meter) {
  if (!regular_) return read_stream(to, meter);
  const bool by_two = to.size() >= kTwoReaders && threads_ > 1;
  const std::size_t got = by_two ? read_by_two(to, meter) : read_at(to, offset_, meter);
  offset_ += got;
  return got;
}

std::size_t Input::read_stream(std::span<std::byte> to, Meter* meter) {
  std::size_t done = 0;
  while (done < to.size() && !ended_) {
    const ssize_t got = ::read(fd_, to.data() + done, std::min(kPiece, to.size() - done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_failure(name_, "cannot be read at byte " + std::to_string(offset_), errno);
    ended_ = got == 0;
    done += static_cast<std::size_t>(got);
    offset_ += static_cast<std::uint64_t>(got);
    if (meter != nullptr) meter->fetch_add(static_cast<std::uint64_t>(got), std::memory_order_relaxed);
  }
  return done;
}

std::span<const std::byte> Input::peek(std::size_t count_bytes) {
  const std::size_t had = head_.size();
  if (had < count_bytes) {
    head_.resize(count_bytes);
    head_.resize(had + read_raw(std::span(head_).subspan(had), nullptr));
  }
  return std::span<const std::byte>(head_).first(std::min(count_bytes, head_.size()));
}

std::size_t Input::take_head(std::span<std::byte> to) {
  const std::size_t taken = std::min(to.size(), head_.size());
  if (taken != 0) std::memcpy(to.data(), head_.data(), taken);
  head_.erase(head_.begin(), head_.begin() + static_cast<std::ptrdiff_t>(taken));
  return taken;
}

std::size_t Input::read_some(std::span<std::byte> to, Meter* meter) {
  const std::size_t taken = take_head(to);
  if (meter != nullptr) meter->fetch_add(taken, std::memory_order_relaxed);
  return taken + read_raw(to.subspan(taken), meter);
}

void Input::read_exact(std::span<std::byte> to, Meter* meter) {
  const std::size_t got = read_some(to, meter);
  if (got == to.size()) return;
  const bool shrank = regular_ && offset_ < end_;
  throw Failure(name_ + ": " + (shrank ? "shrank while it was read" : "ends too early") + ": " +
                std::to_string(to.size()) + " bytes of data were expected and " + std::to_string(got) + " were there");
}

Buffer Input::read_rest(std::uint64_t limit_bytes, Meter* meter) {
  const auto refuse = [&](const std::string& size) {
    return Failure(name_ + ": " + size + ", and the memory limit leaves room for " + bytes_in_words(limit_bytes) +
                   " of input; raise -S");
  };
  if (const auto known = remaining_bytes()) {
    if (*known > limit_bytes) throw refuse("holds " + bytes_in_words(*known));
    Buffer buffer(*known);
    read_exact(buffer.bytes(), meter);
    expect_end("the size it had when it was opened");
    return buffer;
  }
  Buffer buffer;
  std::uint64_t filled = 0;
  for (;;) {
    if (filled == buffer.size()) buffer.resize(std::max(kFirstGuess, filled + filled / 2));
    const std::size_t got = read_some(buffer.bytes().subspan(static_cast<std::size_t>(filled)), meter);
    if (got == 0) break;
    filled += got;
    if (filled > limit_bytes) throw refuse("holds more than " + bytes_in_words(limit_bytes));
  }
  buffer.resize(filled);
  return buffer;
}

void Input::expect_end(const std::string& after) {
  const auto left = remaining_bytes();
  std::byte probe[1];
  if (read_some(probe, nullptr) == 0) return;
  throw Failure(name_ + ": " + (left && *left > 0 ? std::to_string(*left) + " bytes" : std::string("more bytes")) +
                " follow " + after);
}

}  // namespace lanesort::io
