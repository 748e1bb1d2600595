#include "api/check.hpp"

#include "api/dtype.hpp"
#include "api/status.hpp"

namespace lanesort {
inline namespace v1 {
namespace api {
namespace {

using u64 = unsigned long long;  // what %llu takes

// A stretch of the caller's memory.
struct Span {
  const char* name;
  const void* data;
  std::uint64_t bytes;
};

bool overlap(const Span& a, const Span& b) {
  const auto a_begin = reinterpret_cast<std::uintptr_t>(a.data), b_begin = reinterpret_cast<std::uintptr_t>(b.data);
  return a_begin < b_begin + b.bytes && b_begin < a_begin + a.bytes;
}

lanesort_status check_present(const Span& span) {
  if (span.data != nullptr || span.bytes == 0) return LANESORT_OK;
  return fail(LANESORT_INVALID_ARGUMENT, "%s is NULL but count is not 0; give the buffer's address", span.name);
}

lanesort_status check_disjoint(const Span& a, const Span& b) {
  if (a.data == nullptr || b.data == nullptr || a.bytes == 0 || b.bytes == 0 || !overlap(a, b)) return LANESORT_OK;
  return fail(LANESORT_INVALID_ARGUMENT,
              "%s (%p, %llu bytes) overlaps %s (%p, %llu bytes); give buffers apart from each other", a.name, a.data,
              static_cast<u64>(a.bytes), b.name, b.data, static_cast<u64>(b.bytes));
}

// Equal addresses mean in place; anything else must be apart.
lanesort_status check_src_dst(const Span& src, const Span& dst) {
  if (src.data == dst.data) return LANESORT_OK;
  if (src.data == nullptr || dst.data == nullptr || src.bytes == 0 || !overlap(src, dst)) return LANESORT_OK;
  return fail(
      LANESORT_INVALID_ARGUMENT,
      "%s (%p) and %s (%p) overlap in part, %llu bytes each; give the same address to sort in place, or buffers apart",
      src.name, src.data, dst.name, dst.data, static_cast<u64>(src.bytes));
}

lanesort_status check_struct(const lanesort_sort_desc* desc) {
  if (desc == nullptr) return fail(LANESORT_INVALID_ARGUMENT, "the descriptor is NULL; start from LANESORT_SORT_INIT");
  if (desc->struct_bytes == sizeof *desc) return LANESORT_OK;
  return fail(
      LANESORT_INVALID_ARGUMENT,
      "desc.struct_bytes is %u, this library (%s) knows %zu; start from LANESORT_SORT_INIT of the matching header",
      desc->struct_bytes, lanesort_version_string(), sizeof *desc);
}

lanesort_status check_key(const lanesort_sort_desc& desc, cpu::KeySpec* key) {
  const DtypeFacts* const facts = find_dtype(desc.dtype);
  if (facts == nullptr)
    return fail(LANESORT_INVALID_ARGUMENT, "desc.dtype is %u, which is no dtype; see LANESORT_BOOL to LANESORT_F64",
                desc.dtype);
  if (desc.order > LANESORT_DESCENDING)
    return fail(LANESORT_INVALID_ARGUMENT, "desc.order is %u; it is LANESORT_ASCENDING or LANESORT_DESCENDING",
                desc.order);
  if (desc.float_order > LANESORT_FLOAT_BITS) {
    return fail(LANESORT_INVALID_ARGUMENT, "desc.float_order is %u; it is LANESORT_FLOAT_NUMERIC, _NAN_FIRST or _BITS",
                desc.float_order);
  }
  const std::uint32_t width = facts->bytes * 8;
  const std::uint32_t end = desc.bit_end == LANESORT_ALL_BITS ? width : desc.bit_end;
  if (desc.bit_begin > end || end > width) {
    return fail(LANESORT_INVALID_ARGUMENT,
                "bits [%u, %u) do not lie in the %u bits of %s; begin <= end <= %u, or LANESORT_ALL_BITS as end",
                desc.bit_begin, end, width, facts->name, width);
  }
  constexpr NanPlace kPlaces[] = {NanPlace::last, NanPlace::first, NanPlace::by_bits};
  *key = {facts->kind, kPlaces[desc.float_order],        facts->bytes, facts->mantissa_bits, desc.bit_begin,
          end,         desc.order == LANESORT_DESCENDING};
  return LANESORT_OK;
}

lanesort_status check_values(lanesort_operation operation, const lanesort_sort_desc& desc) {
  switch (operation) {
    case LANESORT_OP_SORT:
      if (desc.value_bytes == 0) return LANESORT_OK;
      return fail(LANESORT_INVALID_ARGUMENT,
                  "desc.value_bytes is %u, but sort moves no values; use lanesort_sort_pairs", desc.value_bytes);
    case LANESORT_OP_SORT_PAIRS:
      if (desc.value_bytes != 0) return LANESORT_OK;
      return fail(LANESORT_INVALID_ARGUMENT,
                  "desc.value_bytes is 0; say how many bytes a value has, or use lanesort_sort");
    case LANESORT_OP_ARGSORT:
      if (desc.value_bytes != 4 && desc.value_bytes != 8) {
        return fail(LANESORT_INVALID_ARGUMENT, "desc.value_bytes is %u; argsort writes indices of 4 or 8 bytes",
                    desc.value_bytes);
      }
      if (desc.value_bytes == 4 && desc.values_src == nullptr && desc.count > std::uint64_t{1} << 32) {
        return fail(LANESORT_INVALID_ARGUMENT,
                    "%llu indices do not fit 4 bytes, which end at 2^32; set value_bytes to 8",
                    static_cast<u64>(desc.count));
      }
      return LANESORT_OK;
    case LANESORT_OP_TOP_K:  // what its values are shows in the pointers
      return LANESORT_OK;
    default:
      return fail(LANESORT_INVALID_ARGUMENT, "operation %u is not known; see LANESORT_OP_SORT and its neighbours",
                  operation);
  }
}

// What the call at hand does not do is refused here, in words.
lanesort_status check_offer(lanesort_operation operation, Use use, Offer offer, const lanesort_sort_desc& desc) {
  if (operation == LANESORT_OP_TOP_K) {
    if (use == Use::verify)
      return fail(LANESORT_UNSUPPORTED, "verify does not know top_k; compare with the first k of a sort");
    if (offer == Offer::whole_sorts)
      return fail(LANESORT_UNSUPPORTED, "this call does not know top_k; sort, and take the first k");
    if (desc.segment_begins != nullptr)
      return fail(LANESORT_UNSUPPORTED, "top_k does not know segments; give each a call of its own");
  }
  if (desc.segment_begins == nullptr) return LANESORT_OK;
  if (use == Use::verify)
    return fail(LANESORT_UNSUPPORTED, "verify does not know segments; verify each by a call of its own");
  if (offer == Offer::whole_sorts)
    return fail(LANESORT_UNSUPPORTED, "this call does not know segments; give each a call of its own");
  return LANESORT_OK;
}

// Begins rise, ends are at or after them, nothing overlaps, all within count: else the first that is wrong is named.
lanesort_status check_segments(const lanesort_sort_desc& desc, cpu::Segments* segments) {
  if (desc.local_indices > 1)
    return fail(LANESORT_INVALID_ARGUMENT, "desc.local_indices is %u; it is 0 or 1", desc.local_indices);
  if (desc.segment_begins == nullptr) return LANESORT_OK;
  const std::uint64_t* const begins = desc.segment_begins;
  const std::uint64_t* const ends = desc.segment_ends == nullptr ? begins + 1 : desc.segment_ends;
  std::uint64_t floor = 0;
  for (std::uint64_t s = 0; s < desc.segment_count; floor = ends[s], ++s) {
    if (floor <= begins[s] && begins[s] <= ends[s] && ends[s] <= desc.count) continue;
    const char* const rule = begins[s] < floor ? "it begins before the end of the one before it"
                             : ends[s] < begins[s] ? "it ends before it begins"
                                                   : "it ends past the items";
    return fail(LANESORT_INVALID_ARGUMENT,
                "segment %llu is [%llu, %llu) after one that ends at %llu, of %llu items: %s; begins must rise, and each "
                "end be at most the next begin",
                static_cast<u64>(s), static_cast<u64>(begins[s]), static_cast<u64>(ends[s]), static_cast<u64>(floor),
                static_cast<u64>(desc.count), rule);
  }
  *segments = {begins, ends, desc.segment_count};
  return LANESORT_OK;
}

lanesort_status check_count(const lanesort_sort_desc& desc, const cpu::KeySpec& key) {
  if (desc.segment_begins != nullptr && desc.segment_count > count_limit(sizeof(std::uint64_t))) {
    return fail(LANESORT_INVALID_ARGUMENT, "segment_count is %llu, more than any memory holds; was a size negative?",
                static_cast<u64>(desc.segment_count));
  }
  const std::uint64_t widest = desc.value_bytes > key.bytes ? desc.value_bytes : key.bytes;
  const std::uint64_t limit = count_limit(widest);
  if (desc.count <= limit) return LANESORT_OK;
  return fail(LANESORT_INVALID_ARGUMENT,
              "count is %llu, more than any memory holds (limit %llu for these widths); was a size negative?",
              static_cast<u64>(desc.count), static_cast<u64>(limit));
}

lanesort_status check_executor(const lanesort_executor* executor) {
  if (executor == nullptr) return LANESORT_OK;
  if (executor->struct_bytes != sizeof *executor) {
    return fail(LANESORT_INVALID_ARGUMENT, "executor.struct_bytes is %u, this library knows %zu",
                executor->struct_bytes, sizeof *executor);
  }
  if (executor->run == nullptr)
    return fail(LANESORT_INVALID_ARGUMENT, "executor.run is NULL; give the function that runs tasks, or no executor");
  if (executor->threads == 0)
    return fail(LANESORT_INVALID_ARGUMENT, "executor.threads is 0; say how many tasks can run at once, 1 or more");
  return LANESORT_OK;
}

}  // namespace

lanesort_status check_top_k_results(const lanesort_sort_desc& desc) noexcept {
  const bool indices = desc.count != 0 && desc.value_bytes != 0 && desc.values_src == nullptr;
  if (indices && desc.value_bytes != 4 && desc.value_bytes != 8) {
    return fail(LANESORT_INVALID_ARGUMENT,
                "desc.value_bytes is %u; top_k writes indices of 4 or 8 bytes, or the caller's values from values_src",
                desc.value_bytes);
  }
  if (indices && desc.value_bytes == 4 && desc.count > std::uint64_t{1} << 32) {
    return fail(LANESORT_INVALID_ARGUMENT, "indices of %llu items do not fit 4 bytes, which end at 2^32; set value_bytes to 8",
                static_cast<u64>(desc.count));
  }
  if (desc.count != 0 && desc.k != 0 && desc.keys_dst == nullptr && desc.value_bytes == 0)
    return fail(LANESORT_INVALID_ARGUMENT,
                "keys_dst is NULL and value_bytes is 0, so that top_k would write nothing; give keys_dst, values_dst or both");
  return LANESORT_OK;
}

namespace {

// Sources of count items, results of min(k, count) apart from everything else.
lanesort_status check_top_k(const lanesort_sort_desc& desc, std::uint32_t key_bytes) {
  lanesort_status status = check_top_k_results(desc);
  if (status != LANESORT_OK) return status;
  const std::uint64_t kept = desc.k < desc.count ? desc.k : desc.count;
  const Span sources[] = {{"keys_src", desc.keys_src, desc.count * key_bytes},
                          {"values_src", desc.values_src, desc.count * desc.value_bytes}};
  const Span written[] = {{"keys_dst", desc.keys_dst, kept * key_bytes},
                          {"values_dst", desc.values_dst, kept * desc.value_bytes},
                          {"scratch", desc.scratch, desc.scratch_bytes}};
  status = check_present(sources[0]);
  if (status == LANESORT_OK) status = check_present(written[1]);
  for (std::size_t w = 0; w < 3; ++w) {
    for (const Span& source : sources) {
      if (status == LANESORT_OK) status = check_disjoint(written[w], source);
    }
    if (status == LANESORT_OK) status = check_disjoint(written[w], written[(w + 1) % 3]);
  }
  return status;
}

lanesort_status check_buffers(lanesort_operation operation, Use use, const lanesort_sort_desc& desc,
                              std::uint32_t key_bytes) {
  if (operation == LANESORT_OP_TOP_K) return check_top_k(desc, key_bytes);
  const Span keys_src{"keys_src", desc.keys_src, desc.count * key_bytes};
  const Span keys_dst{"keys_dst", desc.keys_dst, desc.count * key_bytes};
  const Span values_src{"values_src", desc.values_src, desc.count * desc.value_bytes};
  const Span values_dst{"values_dst", desc.values_dst, desc.count * desc.value_bytes};
  const Span scratch{"scratch", desc.scratch, desc.scratch_bytes};
  lanesort_status status = check_present(keys_src);
  if (status != LANESORT_OK || use == Use::read_keys) return status;

  const bool argsort = operation == LANESORT_OP_ARGSORT;
  if (argsort && desc.keys_dst != nullptr)
    return fail(LANESORT_INVALID_ARGUMENT,
                "keys_dst is set, but argsort moves no keys; leave it NULL, or use lanesort_sort_pairs");
  if (!argsort && (status = check_present(keys_dst)) != LANESORT_OK) return status;
  if (operation == LANESORT_OP_SORT_PAIRS && (status = check_present(values_src)) != LANESORT_OK) return status;
  if (operation != LANESORT_OP_SORT && (status = check_present(values_dst)) != LANESORT_OK) return status;
  for (const Span& buffer : {keys_src, keys_dst, values_src, values_dst}) {
    if ((status = check_disjoint(scratch, buffer)) != LANESORT_OK) return status;
  }
  if (use == Use::verify) return LANESORT_OK;  // it only reads them

  // Offsets are read while the results are written.
  const std::uint64_t offsets = desc.segment_begins == nullptr ? 0 : desc.segment_count;
  const Span begins{"segment_begins", desc.segment_begins,
                    (offsets + (desc.segment_ends == nullptr && offsets != 0)) * sizeof(std::uint64_t)};
  const Span ends{"segment_ends", desc.segment_ends, offsets * sizeof(std::uint64_t)};
  for (const Span& offset : {begins, ends}) {
    for (const Span& buffer : {scratch, keys_dst, values_dst}) {
      if ((status = check_disjoint(offset, buffer)) != LANESORT_OK) return status;
    }
  }

  if ((status = check_src_dst(keys_src, keys_dst)) != LANESORT_OK) return status;
  if ((status = check_src_dst(values_src, values_dst)) != LANESORT_OK) return status;
  const Span keys[] = {keys_src, keys_dst}, values[] = {values_src, values_dst};
  for (const Span& k : keys) {
    for (const Span& v : values) {
      // Two sources are only read, and may be one and the same.
      if ((k.data != keys_src.data || v.data != values_src.data || k.data == keys_dst.data ||
           v.data == values_dst.data) &&
          (status = check_disjoint(k, v)) != LANESORT_OK) {
        return status;
      }
    }
  }
  return LANESORT_OK;
}

}  // namespace

cpu::Executor executor_of(const lanesort_sort_desc& desc) noexcept {
  return desc.executor == nullptr ? cpu::Executor{} : cpu::Executor{desc.executor->context, desc.executor->run};
}

lanesort_status check_request(lanesort_operation operation, Use use, const lanesort_sort_desc* desc,
                              std::uint32_t threads, cpu::Request* request, Offer offer) noexcept {
  lanesort_status status = check_struct(desc);
  cpu::KeySpec key;
  cpu::Segments segments;
  if (status == LANESORT_OK) status = check_key(*desc, &key);
  if (status == LANESORT_OK) status = check_offer(operation, use, offer, *desc);
  if (status == LANESORT_OK && use != Use::read_keys) status = check_values(operation, *desc);
  if (status == LANESORT_OK) status = check_count(*desc, key);
  if (status == LANESORT_OK) status = check_executor(desc->executor);
  if (status == LANESORT_OK && use != Use::size_only) status = check_buffers(operation, use, *desc, key.bytes);
  if (status == LANESORT_OK && use != Use::size_only) status = check_segments(*desc, &segments);
  if (status != LANESORT_OK) return status;

  const std::uint32_t offered = desc->executor != nullptr ? desc->executor->threads : threads;
  const std::uint32_t wanted = desc->threads == 0 || desc->threads > offered ? offered : desc->threads;
  request->key = key;
  request->value_bytes = use == Use::read_keys ? 0 : desc->value_bytes;
  request->argsort = operation == LANESORT_OP_ARGSORT;
  request->count = desc->count;
  request->k = desc->k;
  request->segments = segments;
  request->local_indices = desc->local_indices != 0;
  request->keys_src = desc->keys_src;
  request->keys_dst = desc->keys_dst;
  request->values_src = desc->values_src;
  request->values_dst = desc->values_dst;
  request->threads = wanted > cpu::kMaxThreads ? cpu::kMaxThreads : wanted;
  return LANESORT_OK;
}

static_assert(cpu::kMaxThreads == LANESORT_MAX_THREADS);

}  // namespace api
}  // namespace v1
}  // namespace lanesort
