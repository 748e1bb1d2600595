// CUB and thrust as the benches call them: linked into lanesort_cuda_bench, and behind the table of a shared object.
#pragma once
#include <cstddef>
#include <cstdint>

namespace lanesort::bench::cuda {

enum class KeyType : std::uint32_t { u8, u16, u32, u64, f32 };
// double_buffer: CUB may use both buffers and says where the result is; plain: src is kept; thrust: in place, with
// memory of its own, which it is given beforehand.
enum class RivalForm : std::uint32_t { double_buffer, plain, thrust };
constexpr std::uint32_t kRivalForms = 3;

struct RivalCall {
  KeyType key;
  std::uint32_t value_bytes;
  RivalForm form;
  bool fill_indices;  // values are to be counted up first, in the time
  void *keys, *keys_other, *values, *values_other;
  std::size_t count;
  void* temp;
  std::size_t temp_bytes;
  void* stream;
  int selected;  // out: 1 if the result is in the other buffers
};

// temp null: only says how much it takes. False where the shape is not built.
bool sort_by_rival(RivalCall& call);
// f32 rows that begin where `begins` on the device says, with one more for the end; by either of CUB's two.
bool sort_rows_by_cub(RivalCall& call, std::size_t row_count, const std::uint64_t* begins, bool radix);
// The same for segments of u32 with values of u32 or none.
bool sort_segments_by_cub(RivalCall& call, std::size_t segment_count, const std::uint64_t* begins, bool radix);
const char* cub_version();

}  // namespace lanesort::bench::cuda
