#include <lanesort/lanesort.h>
#include <stdio.h>

int main(void) {
  float keys[] = {3.5f, -0.0f, 2.0f, 0.0f, -1.0f};
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = LANESORT_F32;
  desc.count = 5;
  desc.keys_src = desc.keys_dst = keys; /* the same address: in place */
  if (lanesort_sort(&desc) != LANESORT_OK) return puts(lanesort_last_error()), 1;
  for (int i = 0; i < 5; ++i) printf("%g ", keys[i]); /* -1 -0 0 2 3.5 */
  return puts("") < 0;
}
