#include "io/output.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <utility>

#include "io/failure.hpp"
#include "io/temporary.hpp"

namespace lanesort::io {
namespace {
constexpr std::size_t kPiece = std::size_t{8} << 20;
constexpr int kMostLinks = 40;  // as the kernel's own limit

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Where a chain of symbolic links ends, whether or not anything is there.
std::string follow_links(std::string path) {
  for (int links = 0; links < kMostLinks; ++links) {
    char text[PATH_MAX];
    const ssize_t length = readlink(path.c_str(), text, sizeof text);
    if (length < 0) return path;
    const std::string to(text, static_cast<std::size_t>(length));
    path = to.starts_with('/') ? to : directory_of(path) + "/" + to;
  }
  throw Failure(path + ": more than " + std::to_string(kMostLinks) + " symbolic links in a row");
}

// Files there are names of open descriptors and devices; to replace such a name makes no sense.
bool is_kernel_path(const std::string& path) {
  return path.starts_with("/dev/fd/") || path.starts_with("/dev/std") || path.starts_with("/proc/");
}

// The descriptor that such a name stands for. To open the name anew would start at the file's first byte, whatever the
// descriptor has written or appends to.
std::optional<int> named_descriptor(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    int fd = -1;
    const char* const end = path.data() + path.size();
    const auto [rest, error] = std::from_chars(path.data() + folder.size(), end, fd);
    if (error == std::errc{} && rest == end && fd >= 0) return fd;
  }
  return std::nullopt;
}
}  // namespace

// Delegates, so that the destructor cleans up where the body throws.
Output::Output(const std::string& path, std::optional<std::uint64_t> expected_bytes, bool binary) : Output(path) {
  struct stat status;
  if (path == "-") {
    open_standard_output();
  } else if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    throw Failure(printable(name_) + ": is a directory; name a file in it");
  } else if (is_kernel_path(path) || (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))) {
    open_direct();
  } else {
    open_temporary();
  }
  if (binary && isatty(fd_)) {
    throw Failure(printable(name_) +
                  ": is a terminal, and binary data would garble it; write to a file with -o FILE, or pipe it on");
  }
  expected_bytes_ = expected_bytes.value_or(0);
  if (staged_) reserve(expected_bytes_);
}

Output::Output(Output&& other) noexcept
    : name_(std::move(other.name_)),
      target_(std::move(other.target_)),
      directory_(std::move(other.directory_)),
      temporary_(std::move(other.temporary_)),
      fd_(other.fd_),
      owned_(std::exchange(other.owned_, false)),
      staged_(other.staged_),
      registered_(std::exchange(other.registered_, false)),
      written_bytes_(other.written_bytes_),
      expected_bytes_(other.expected_bytes_) {}

Output::~Output() {
  if (owned_) close(fd_);
  if (registered_) temporaries::remove(temporary_);
}

void Output::open_standard_output() {
  name_ = "standard output";
  fd_ = STDOUT_FILENO;
  if (fcntl(fd_, F_GETFD) < 0) fail("cannot be written to", errno);
  fcntl(fd_, F_SETPIPE_SZ, 1 << 20);
}

void Output::open_direct() {
  const std::optional<int> named = named_descriptor(name_);
  fd_ = named ? fcntl(*named, F_DUPFD_CLOEXEC, 0) : open(name_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (fd_ < 0) fail("cannot be written to", errno);
  owned_ = true;
}

void Output::open_temporary() {
  target_ = follow_links(name_);
  directory_ = directory_of(target_);
  if (target_.empty() || target_.ends_with('/')) throw Failure("'" + name_ + "': is no name of a file");
  if (access(target_.c_str(), F_OK) == 0 && faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) {
    fail("cannot be written to", errno);
  }
  // A nameless file gets its name through /proc, which a bare chroot lacks.
  const bool can_name_later = access("/proc/self/fd", X_OK) == 0;
  if (can_name_later) fd_ = open(directory_.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (!can_name_later || (fd_ < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))) {
    temporary_ = temporaries::create(directory_, &fd_);
    registered_ = fd_ >= 0;
  }
  if (fd_ < 0) fail("no temporary file could be made in " + directory_, errno);
  owned_ = staged_ = true;
  keep_mode_and_owner();
}

void Output::keep_mode_and_owner() {
  struct stat old;
  if (stat(target_.c_str(), &old) != 0) return;
  // Only root may give files away; for others the group, and after it the mode, is the most that can be kept.
  if (fchown(fd_, old.st_uid, old.st_gid) != 0 && fchown(fd_, static_cast<uid_t>(-1), old.st_gid) != 0) {
    fchmod(fd_, old.st_mode & 0777);  // set-id bits of an owner that is not kept are not kept
    return;
  }
  fchmod(fd_, old.st_mode & 07777);
}

void Output::reserve(std::uint64_t expected_bytes) {
  if (expected_bytes == 0) return;
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && expected_bytes > limit.rlim_cur) {
    fail("cannot be written", EFBIG);
  }
  // KEEP_SIZE, so that the file never looks longer than what was written. Where it is not offered, write() finds out.
  if (fallocate(fd_, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(expected_bytes)) != 0 &&
      (errno == ENOSPC || errno == EDQUOT)) {
    fail("cannot be written", errno);
  }
}

void Output::fail(const std::string& what, int error) const {
  if (error == EPIPE) throw BrokenPipe(name_ + ": nobody reads it any more");
  Failure failure = system_failure(name_, what, error);
  std::string words = failure.what();
  const std::uint64_t needed = std::max(expected_bytes_, written_bytes_);
  if (error == ENOSPC || error == EDQUOT) {
    struct statvfs disk;
    words += ": " + bytes_in_words(needed) + " are needed";
    if (staged_ && fstatvfs(fd_, &disk) == 0)  // a device has no free space
      words += " and " + bytes_in_words(std::uint64_t{disk.f_bavail} * disk.f_frsize) + " are free in " +
               (directory_.empty() ? name_ : directory_);
    words += "; make room or choose another place with -o";
  } else if (error == EFBIG) {
    struct rlimit limit;
    words += ": " + bytes_in_words(needed) + " are needed";
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
      words += " and files are limited to " + bytes_in_words(limit.rlim_cur);
    words += "; raise the limit (ulimit -f)";
  }
  throw Failure(words);
}

void Output::write(std::span<const std::byte> bytes, Meter* meter) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd_, bytes.data(), std::min(kPiece, bytes.size()));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      const int error = errno;
      expected_bytes_ = std::max<std::uint64_t>(expected_bytes_, written_bytes_ + bytes.size());
      fail("cannot be written", error);
    }
    written_bytes_ += static_cast<std::uint64_t>(put);
    if (meter != nullptr) meter->fetch_add(static_cast<std::uint64_t>(put), std::memory_order_relaxed);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

void Output::commit() {
  if (staged_) {
    // What was reserved and not used would stay taken.
    if (written_bytes_ < expected_bytes_ && ftruncate(fd_, static_cast<off_t>(written_bytes_)) != 0) {
      fail("cannot be written", errno);
    }
    // A named temporary is closed before it takes the target's place, a nameless one gets its name through its descriptor.
    if (registered_) close_file();
    link_in_place();
  }
  close_file();
}

// Network file systems report a full disk only here.
void Output::close_file() {
  if (std::exchange(owned_, false) && close(fd_) != 0 && errno != EINTR) fail("cannot be written", errno);
}

void Output::link_in_place() {
  if (!registered_) {  // a link cannot replace a file, and a rename needs a name
    const std::string self = "/proc/self/fd/" + std::to_string(fd_);
    if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, target_.c_str(), AT_SYMLINK_FOLLOW) == 0) return;
    if (errno != EEXIST) fail("cannot be put in place", errno);
    temporary_ = temporaries::link(directory_, self);
    if (temporary_.empty()) fail("cannot be put in place", errno);
    registered_ = true;
  }
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot be put in place", errno);
  temporaries::forget(temporary_);
  registered_ = false;
}

}  // namespace lanesort::io
