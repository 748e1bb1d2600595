// Invariant: a name is in the list before the file is on the disk, and leaves the list after the file has left, so
// that a signal at any moment finds every file. Slots are fixed arrays: a handler may neither lock nor allocate.
#include "io/temporary.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>

#include "io/output.hpp"

namespace lanesort::io {
namespace {
constexpr int kSlots = 32;      // outputs of one command
constexpr int kAttempts = 100;  // names left over by other processes of the same number

struct Slot {
  std::atomic<bool> taken{false};
  std::atomic<bool> listed{false};
  char name[PATH_MAX];
};
Slot slots[kSlots];

Slot* list(const std::string& name) {
  if (name.size() >= PATH_MAX) {
    errno = ENAMETOOLONG;
    return nullptr;
  }
  for (Slot& slot : slots) {
    if (slot.taken.exchange(true)) continue;
    std::memcpy(slot.name, name.c_str(), name.size() + 1);
    slot.listed.store(true, std::memory_order_release);
    return &slot;
  }
  errno = EMFILE;
  return nullptr;
}

void unlist(Slot& slot) {
  slot.listed = false;
  slot.taken = false;
}

Slot* find(const std::string& name) {
  for (Slot& slot : slots)
    if (slot.listed && name == slot.name) return &slot;
  return nullptr;
}

// Calls make(name) until it succeeds, with a name that says whose file it is.
template <class Make>
std::string with_new_name(const std::string& directory, Make make) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::string name =
        directory + "/.lanesort-" + std::to_string(getpid()) + "-" + std::to_string(attempt) + ".tmp";
    if (find(name) != nullptr) continue;  // another output of this process
    Slot* slot = list(name);
    if (slot == nullptr) return {};
    if (make(name.c_str())) return name;
    const int error = errno;
    unlist(*slot);
    errno = error;
    if (error != EEXIST) return {};
  }
  return {};
}

void remove_and_die(int signal) {
  for (const Slot& slot : slots)
    if (slot.listed.load(std::memory_order_acquire)) unlink(slot.name);
  if (signal == SIGINT) _exit(130);
  std::signal(signal, SIG_DFL);
  raise(signal);
}
}  // namespace

namespace temporaries {

std::string create(const std::string& directory, int* fd) {
  return with_new_name(directory, [&](const char* name) {
    *fd = open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    return *fd >= 0;
  });
}

std::string link(const std::string& directory, const std::string& path) {
  return with_new_name(directory, [&](const char* name) {
    return linkat(AT_FDCWD, path.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
  });
}

void remove(const std::string& name) {
  unlink(name.c_str());
  forget(name);
}

void forget(const std::string& name) {
  if (Slot* slot = find(name)) unlist(*slot);
}

}  // namespace temporaries

void install_signal_handlers() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = remove_and_die;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace lanesort::io
