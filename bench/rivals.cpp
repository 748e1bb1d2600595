#include "bench/rivals.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

namespace lanesort::bench {
namespace {

namespace fs = std::filesystem;

// Beside the executable only: in the build tree, then installed.
fs::path find_shared_object(std::string& looked_at) {
  std::error_code ignored;
  const fs::path prefix = fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path();
  for (const fs::path& folder : {prefix / "lib", prefix / LANESORT_RIVALS_DIR, prefix / "lib/lanesort"}) {
    const fs::path file = folder / "lanesort_rivals.so";
    if (fs::exists(file, ignored)) return file;
    if (looked_at.find(file.string()) == looked_at.npos) looked_at += (looked_at.empty() ? "" : ", ") + file.string();
  }
  return {};
}

Rivals open_rivals() {
  std::string looked_at;
  const fs::path file = find_shared_object(looked_at);
  if (file.empty())
    return {{}, fmt::format("no rivals: none of {} exists; build the target lanesort_rivals", looked_at)};
  void* const object = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays open: entries point into it
  if (object == nullptr) return {{}, fmt::format("no rivals: {}", dlerror())};
  const auto table_of = reinterpret_cast<RivalTableFunction*>(dlsym(object, kRivalTableSymbol));
  if (table_of == nullptr) return {{}, fmt::format("no rivals: {} has no {}", file.string(), kRivalTableSymbol)};
  const RivalTable table = table_of();
  if (table.entry_bytes != sizeof(RivalEntry)) {
    return {{},
            fmt::format("no rivals: {} is of another version; build the target lanesort_rivals again", file.string())};
  }
  return {{table.entries, table.count}, {}};
}

}  // namespace

const Rivals& installed_rivals() {
  static const Rivals rivals = open_rivals();
  return rivals;
}

}  // namespace lanesort::bench
