#include "cuda/images.hpp"

#ifdef LANESORT_CUDA_KERNELS
extern "C" const unsigned char lanesort_cuda_image_1[], lanesort_cuda_image_2[], lanesort_cuda_image_4[],
    lanesort_cuda_image_8[], lanesort_cuda_image_top_k[], lanesort_cuda_image_segments_1[],
    lanesort_cuda_image_segments_2[], lanesort_cuda_image_segments_4[], lanesort_cuda_image_segments_8[];
#endif

namespace lanesort {
inline namespace v1 {
namespace cuda {

#ifdef LANESORT_CUDA_KERNELS
const void* image(std::uint32_t which) noexcept {
  static const unsigned char* const images[kImages] = {lanesort_cuda_image_1, lanesort_cuda_image_2,
                                                       lanesort_cuda_image_4, lanesort_cuda_image_8,
                                                       lanesort_cuda_image_top_k, lanesort_cuda_image_segments_1,
                                                       lanesort_cuda_image_segments_2, lanesort_cuda_image_segments_4,
                                                       lanesort_cuda_image_segments_8};
  return images[which];
}
int toolkit_version() noexcept { return LANESORT_CUDA_TOOLKIT; }
const char* architectures() noexcept { return LANESORT_CUDA_ARCHITECTURES; }
#else
const void* image(std::uint32_t) noexcept { return nullptr; }
int toolkit_version() noexcept { return 0; }
const char* architectures() noexcept { return "none"; }
#endif

}  // namespace cuda
}  // namespace v1
}  // namespace lanesort
