/* The fatbins of kernels/cuda, brought into the library as they are. Hidden: they are no part of its face. */
#define IMAGE(width, file)             \
  .hidden lanesort_cuda_image_##width; \
  .global lanesort_cuda_image_##width; \
  .balign 64;                          \
  lanesort_cuda_image_##width:;        \
  .incbin file;

  .section .rodata
  IMAGE(1, LANESORT_IMAGE_1)
  IMAGE(2, LANESORT_IMAGE_2)
  IMAGE(4, LANESORT_IMAGE_4)
  IMAGE(8, LANESORT_IMAGE_8)
  IMAGE(top_k, LANESORT_IMAGE_TOP_K)
  IMAGE(segments_1, LANESORT_IMAGE_SEGMENTS_1)
  IMAGE(segments_2, LANESORT_IMAGE_SEGMENTS_2)
  IMAGE(segments_4, LANESORT_IMAGE_SEGMENTS_4)
  IMAGE(segments_8, LANESORT_IMAGE_SEGMENTS_8)
  .section .note.GNU-stack,"",%progbits
