// What NVTX finds by NVTX_INJECTION64_PATH: writes every phase to standard error, indented as phases lie in each other.
#include <nvtx3/nvToolsExt.h>

#include <cstdio>

namespace {

thread_local int depth = 0;

nvtxDomainHandle_t NVTX_API make_domain(const char* name) {
  std::fprintf(stderr, "domain %s\n", name);
  static int any = 0;
  return reinterpret_cast<nvtxDomainHandle_t>(&any);
}

int NVTX_API push(nvtxDomainHandle_t, const nvtxEventAttributes_t* event) {
  std::fprintf(stderr, "phase %d %s\n", depth, event->message.ascii);
  return depth++;
}

int NVTX_API pop(nvtxDomainHandle_t) { return --depth; }

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t table_of) {
  const auto* const callbacks = static_cast<const NvtxExportTableCallbacks*>(table_of(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks == nullptr || callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) == 0) return 0;
  *table[NVTX_CBID_CORE2_DomainCreateA] = reinterpret_cast<NvtxFunctionPointer>(make_domain);
  *table[NVTX_CBID_CORE2_DomainRangePushEx] = reinterpret_cast<NvtxFunctionPointer>(push);
  *table[NVTX_CBID_CORE2_DomainRangePop] = reinterpret_cast<NvtxFunctionPointer>(pop);
  return 1;
}
