/* Sorts keys on a WebGPU device of the program's own, through the library that LANESORT_WEBGPU_LIB names. A renderer has a
 * device and an encoder already: it calls lanesort_webgpu_create() and lanesort_webgpu_encode() instead (webgpu.h). */
#include <lanesort/webgpu.h>
#include <stdio.h>

int main(void) {
  float depths[] = {3.5f, -0.0f, 2.0f, 0.0f, -1.0f};
  uint32_t order[5];
  lanesort_webgpu* gpu = NULL;
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = LANESORT_F32;
  desc.count = 5;
  desc.keys_src = depths;
  desc.value_bytes = 4;
  desc.values_dst = order;
  lanesort_status status = lanesort_webgpu_open(NULL, 0, &gpu);
  if (status == LANESORT_DEVICE_UNAVAILABLE) return puts(lanesort_last_error()), 0;
  if (status == LANESORT_OK) status = lanesort_webgpu_run(gpu, LANESORT_OP_ARGSORT, &desc, NULL);
  if (status != LANESORT_OK) return puts(lanesort_last_error()), 1;
  for (int i = 0; i < 5; ++i) printf("%u ", (unsigned)order[i]); /* 4 1 3 2 0 */
  lanesort_webgpu_destroy(gpu);
  return puts("") < 0;
}
