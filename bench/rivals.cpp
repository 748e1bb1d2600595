#include "bench/rivals.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

namespace lanesort::bench {
namespace {

namespace fs = std::filesystem;

struct SharedObject {
  void* handle = nullptr;  // stays open: what is found in it points into it
  std::string trouble;
};

// Beside the executable only: in the build tree, then installed. Named as the target that makes it.
SharedObject open_shared_object(const char* target) {
  std::error_code ignored;
  const fs::path prefix = fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path();
  std::string looked_at;
  for (const fs::path& folder : {prefix / "lib", prefix / LANESORT_RIVALS_DIR, prefix / "lib/lanesort"}) {
    const fs::path file = folder / fmt::format("{}.so", target);
    if (fs::exists(file, ignored)) {
      void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
      return {handle, handle == nullptr ? fmt::format("no rivals: {}", dlerror()) : std::string()};
    }
    if (looked_at.find(file.string()) == looked_at.npos) looked_at += (looked_at.empty() ? "" : ", ") + file.string();
  }
  return {nullptr, fmt::format("no rivals: none of {} exists; build the target {}", looked_at, target)};
}

// The function that is the shared object's one symbol; NULL with the reason.
template <class Function>
Function* find_table(const char* target, const char* symbol, std::string& trouble) {
  const SharedObject object = open_shared_object(target);
  trouble = object.trouble;
  if (object.handle == nullptr) return nullptr;
  const auto found = reinterpret_cast<Function*>(dlsym(object.handle, symbol));
  if (found == nullptr) trouble = fmt::format("no rivals: {}.so has no {}", target, symbol);
  return found;
}

std::string of_another_version(const char* target) {
  return fmt::format("no rivals: {}.so is of another version; build the target {} again", target, target);
}

Rivals open_rivals() {
  constexpr char kTarget[] = "lanesort_rivals";
  std::string trouble;
  const auto table_of = find_table<RivalTableFunction>(kTarget, kRivalTableSymbol, trouble);
  if (table_of == nullptr) return {{}, trouble};
  const RivalTable table = table_of();
  if (table.entry_bytes != sizeof(RivalEntry)) return {{}, of_another_version(kTarget)};
  return {{table.entries, table.count}, {}};
}

CudaRivals open_cuda_rivals() {
  constexpr char kTarget[] = "lanesort_cuda_rivals";
  CudaRivals rivals;
  const auto table_of = find_table<cuda::TableFunction>(kTarget, cuda::kTableSymbol, rivals.trouble);
  if (table_of == nullptr) return rivals;
  rivals.table = table_of();
  if (rivals.table->table_bytes != sizeof(cuda::Table) || rivals.table->call_bytes != sizeof(cuda::RivalCall)) return {nullptr, of_another_version(kTarget)};
  return rivals;
}

}  // namespace

const Rivals& installed_rivals() {
  static const Rivals rivals = open_rivals();
  return rivals;
}

const CudaRivals& installed_cuda_rivals() {
  static const CudaRivals rivals = open_cuda_rivals();
  return rivals;
}

}  // namespace lanesort::bench
