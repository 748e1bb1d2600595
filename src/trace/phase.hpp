// Names for what a host thread is at, for nsys and whoever else listens to NVTX. Off unless the environment has
// LANESORT_NVTX, and nothing without a listener; NVTX is headers alone and looks for a listener by itself.
#pragma once
#include <cstdint>
#include <cstdlib>

#if defined(LANESORT_NVTX)
#include <nvtx3/nvToolsExt.h>
#endif

namespace lanesort {
inline namespace v1 {
namespace trace {

inline constexpr char kVariable[] = "LANESORT_NVTX";

#if defined(LANESORT_NVTX)
inline constexpr bool kBuilt = true;

// NULL: no marks. Looked up once a process, at its first phase.
inline nvtxDomainHandle_t domain() noexcept {
  static const nvtxDomainHandle_t made = std::getenv(kVariable) != nullptr ? nvtxDomainCreateA("lanesort") : nullptr;
  return made;
}

// The calling thread is in the phase for as long as this lives. The name is copied.
class Phase {
 public:
  explicit Phase(const char* name) noexcept {
    if (domain() == nullptr) return;
    nvtxEventAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name;
    nvtxDomainRangePushEx(domain(), &attributes);
  }
  ~Phase() {
    if (domain() != nullptr) nvtxDomainRangePop(domain());
  }
#else
inline constexpr bool kBuilt = false;

class Phase {
 public:
  explicit Phase(const char*) noexcept {}
  ~Phase() {}
#endif
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;
};

}  // namespace trace
}  // namespace v1
}  // namespace lanesort
