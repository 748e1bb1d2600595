#include "pipeline/sort.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "api/status.hpp"
#include "pipeline/cuts.hpp"
#include "pipeline/trip.hpp"
#include "trace/phase.hpp"

namespace lanesort {
inline namespace v1 {
namespace pipeline {
namespace {

using u64 = unsigned long long;  // what %llu takes

// The request with addresses of bytes.
struct Arrays {
  std::uint64_t count;
  std::uint32_t key_bytes, value_bytes;
  const std::byte *keys_src, *values_src;  // no values_src: an argsort's numbers, or no values
  std::byte *keys_dst, *values_dst;

  explicit Arrays(const cpu::Request& request)
      : count(request.count), key_bytes(request.key.bytes), value_bytes(request.value_bytes),
        keys_src(static_cast<const std::byte*>(request.keys_src)), values_src(static_cast<const std::byte*>(request.values_src)),
        keys_dst(static_cast<std::byte*>(request.keys_dst)), values_dst(static_cast<std::byte*>(request.values_dst)) {}

  bool in_place() const { return keys_src == keys_dst || (value_bytes != 0 && values_src == values_dst); }
};

class Pipeline {
 public:
  Pipeline(Device& device, lanesort_operation operation, const lanesort_sort_desc& desc, const cpu::Request& request, const Room& room)
      : device_(device), operation_(operation), desc_(desc), request_(request), arrays_(request), room_(room), slots_(device) {}

  lanesort_status run() {
    lanesort_status status = LANESORT_OK;
    {
      const trace::Phase phase("allocate on the device");
      status = take_room();
    }
    if (status != LANESORT_OK) return status;
    return plan_.chunks == 1 ? one_trip() : two_trips();
  }

 private:
  // The operation that is done on the device when there are several chunks: an argsort moves its numbers as values.
  lanesort_operation by_parts() const { return arrays_.value_bytes == 0 ? LANESORT_OP_SORT : LANESORT_OP_SORT_PAIRS; }

  lanesort_status scratch_bytes(std::uint64_t items, std::uint64_t* bytes) {
    lanesort_sort_desc desc = desc_;
    desc.count = items;
    const lanesort_status whole = device_.scratch_bytes(operation_, desc, bytes);
    if (whole != LANESORT_OK || operation_ == by_parts()) return whole;
    std::uint64_t parts = 0;
    const lanesort_status status = device_.scratch_bytes(by_parts(), desc, &parts);
    *bytes = std::max(*bytes, parts);
    return status;
  }

  // Device memory for the fewest chunks that fit; for more of them where there is less than was thought.
  lanesort_status take_room() {
    std::uint64_t bytes = room_.device_bytes;
    lanesort_status status = bytes == 0 ? device_.free_bytes(&bytes) : LANESORT_OK;
    for (;; bytes /= 2) {
      if (status != LANESORT_OK) return status;
      plan_ = plan::plan_chunks(arrays_.count, arrays_.key_bytes + arrays_.value_bytes, bytes, [&](std::uint64_t items) {
        std::uint64_t needed = UINT64_MAX;
        return scratch_bytes(items, &needed) == LANESORT_OK ? needed : UINT64_MAX;
      });
      if (room_.host_helps && plan_.chunks != 0) share_out();
      if (plan_.chunks == 0) {
        return api::fail(LANESORT_OUT_OF_MEMORY, "%llu bytes of the device's memory hold not even one item and its scratch; "
                         "give more, or use the cpu back end", static_cast<u64>(bytes));
      }
      std::uint64_t scratch = 0;
      status = scratch_bytes(plan_.chunk, &scratch);
      if (status == LANESORT_OK) status = slots_.allocate(plan_, arrays_.key_bytes, arrays_.value_bytes, scratch);
      if (status == LANESORT_OK) return status;
      if (status == LANESORT_OUT_OF_MEMORY && bytes > 1) status = LANESORT_OK;
    }
  }

  // Cut for two to share. Less is on the device at once than before.
  void share_out() {
    const std::uint64_t chunks = std::max(plan_.chunks, std::min(arrays_.count, tune::kSharedLoads));
    plan_.chunk = (arrays_.count + chunks - 1) / chunks;
    plan_.chunks = (arrays_.count + plan_.chunk - 1) / plan_.chunk;
    plan_.slots = plan_.chunks == 1 ? 1 : plan::kChunkSlots;
  }

  Trip trip(lanesort_operation operation, std::uint64_t loads) const {
    return {operation, desc_, loads, {}, room_.copies, {}};
  }

  TripEnd by_name(const char* name, const Trip& of) {
    const trace::Phase phase(name);
    return run_trip(device_, slots_, of);
  }

  lanesort_status one_trip() {
    Trip whole = trip(operation_, 1);
    whole.load = [this](std::uint64_t) { return chunk(0, arrays_.keys_dst, arrays_.values_dst, false); };
    return run_trip(device_, slots_, whole).status;
  }

  // The i-th chunk of the source, to its place in an array of all.
  Load chunk(std::uint64_t i, std::byte* keys_to, std::byte* values_to, bool make_numbers) const {
    const std::uint64_t begin = i * plan_.chunk;
    const std::uint64_t kb = arrays_.key_bytes, vb = arrays_.value_bytes;
    Load load;
    load.count = std::min(plan_.chunk, arrays_.count - begin);
    load.keys.add(arrays_.keys_src + begin * kb, load.count * kb);
    if (arrays_.values_src != nullptr) {
      load.values.add(arrays_.values_src + begin * vb, load.count * vb);
    } else if (make_numbers) {
      load.values.number_bytes = arrays_.value_bytes;
      load.values.first_number = begin;
      load.values.bytes = load.count * vb;
    }
    if (keys_to != nullptr) load.keys_to = keys_to + begin * kb;
    if (vb != 0) load.values_to = values_to + begin * vb;
    return load;
  }

  lanesort_status two_trips() {
    // Not initialised: every byte is written before it is read.
    const std::unique_ptr<std::byte[]> keys(new (std::nothrow) std::byte[arrays_.count * arrays_.key_bytes]),
        values(new (std::nothrow) std::byte[arrays_.count * arrays_.value_bytes]);
    if (keys == nullptr || values == nullptr) {
      return api::fail(LANESORT_OUT_OF_MEMORY, "the device's memory holds %llu of %llu items, and the host has not the %llu bytes for sorted runs of them",
                       static_cast<u64>(plan_.chunk), static_cast<u64>(arrays_.count),
                       static_cast<u64>(arrays_.count * (arrays_.key_bytes + arrays_.value_bytes)));
    }
    Trip runs = trip(by_parts(), plan_.chunks);
    runs.load = [&](std::uint64_t i) { return chunk(i, keys.get(), values.get(), operation_ == LANESORT_OP_ARGSORT); };
    HostPart part;
    if (room_.host_helps) {
      const lanesort_status status = part.set_out(*this);
      if (status != LANESORT_OK) return status;
      runs.here = [&](std::uint64_t i) {
        return sort_here(chunk(i, keys.get(), values.get(), operation_ == LANESORT_OP_ARGSORT), &part);
      };
    }
    const TripEnd made = by_name("trip of runs", runs);
    if (made.status != LANESORT_OK) return made.status;

    const Runs sorted{request_.key, keys.get(), arrays_.count, plan_.chunk};
    std::vector<std::uint64_t> from(sorted.runs(), 0);
    Trip ranges = trip(by_parts(), plan_.chunks);
    ranges.load = [&](std::uint64_t i) { return range(sorted, values.get(), i, &from); };
    if (room_.host_helps)
      ranges.here = [&](std::uint64_t i) { return sort_here(range(sorted, values.get(), i), &part); };
    const TripEnd placed = by_name("trip of ranges", ranges);
    if (room_.host_share != nullptr)
      *room_.host_share = static_cast<double>(made.here + placed.here) / static_cast<double>(2 * plan_.chunks);
    if (placed.status == LANESORT_OK || !arrays_.in_place()) return placed.status;
    // The source is lost in part, but the runs have every item.
    for (std::uint64_t i = placed.done; i < plan_.chunks - placed.here; ++i) {
      const lanesort_status status = sort_here(range(sorted, values.get(), i), &part);
      if (status != LANESORT_OK) return status;
    }
    return LANESORT_OK;
  }

  // The i-th range of the whole, out of all runs, to its place in the results. `from`: where it begins in each run, and
  // afterwards where it ends.
  Load range(const Runs& runs, const std::byte* values, std::uint64_t i, std::vector<std::uint64_t>* from) const {
    const std::uint64_t begin = i * plan_.chunk, kb = arrays_.key_bytes, vb = arrays_.value_bytes;
    Load load;
    load.count = std::min(plan_.chunk, arrays_.count - begin);
    const trace::Phase phase("cut the runs");
    const std::vector<std::uint64_t> to = cut_runs(runs, begin + load.count);
    for (std::uint64_t r = 0; r < to.size(); ++r) {
      const std::uint64_t at = runs.begin_of(r) + (*from)[r], items = to[r] - (*from)[r];
      load.keys.add(runs.keys + at * kb, items * kb);
      load.values.add(values + at * vb, items * vb);
    }
    *from = to;
    if (arrays_.keys_dst != nullptr) load.keys_to = arrays_.keys_dst + begin * kb;
    if (vb != 0) load.values_to = arrays_.values_dst + begin * vb;
    return load;
  }

  // The same, wherever the one before ends.
  Load range(const Runs& runs, const std::byte* values, std::uint64_t i) const {
    std::vector<std::uint64_t> from = cut_runs(runs, i * plan_.chunk);
    return range(runs, values, i, &from);
  }

  // What the host needs to sort loads. Without set_out() each load makes its own.
  struct HostPart {
    std::unique_ptr<std::byte[]> scratch, keys;  // the latter where an argsort has no place for them
    std::uint64_t scratch_bytes = 0;

    // Before anything is written, lest memory be short in the middle.
    lanesort_status set_out(const Pipeline& of) {
      lanesort_sort_desc desc = of.on_host(of.plan_.chunk, nullptr, nullptr);
      const lanesort_status status = lanesort_scratch_bytes(of.by_parts(), &desc, nullptr, &scratch_bytes);
      if (status != LANESORT_OK) return status;
      scratch.reset(new std::byte[scratch_bytes]);
      if (of.arrays_.keys_dst == nullptr) keys.reset(new std::byte[of.plan_.chunk * of.arrays_.key_bytes]);
      return LANESORT_OK;
    }
  };

  lanesort_sort_desc on_host(std::uint64_t count, std::byte* keys, std::byte* values) const {
    lanesort_sort_desc desc = desc_;
    desc.count = count;
    desc.keys_src = desc.keys_dst = keys;
    desc.values_src = desc.values_dst = values;
    desc.scratch = nullptr;
    desc.scratch_bytes = 0;
    return desc;
  }

  lanesort_status sort_here(const Load& load, HostPart* part) const {
    // An argsort has no place for keys.
    if (load.keys_to == nullptr && part->keys == nullptr)
      part->keys.reset(new std::byte[plan_.chunk * arrays_.key_bytes]);
    std::byte* const keys = load.keys_to == nullptr ? part->keys.get() : load.keys_to;
    copy_cargo(load.keys, 0, keys, load.keys.bytes);
    copy_cargo(load.values, 0, load.values_to, load.values.bytes);
    lanesort_sort_desc desc = on_host(load.count, keys, load.values_to);
    desc.scratch = part->scratch.get();
    desc.scratch_bytes = part->scratch_bytes;
    return by_parts() == LANESORT_OP_SORT ? lanesort_sort(&desc) : lanesort_sort_pairs(&desc);
  }

  Device& device_;
  const lanesort_operation operation_;
  const lanesort_sort_desc& desc_;
  const cpu::Request& request_;
  const Arrays arrays_;
  const Room& room_;
  plan::ChunkPlan plan_;
  Slots slots_;
};

}  // namespace

lanesort_status sort(Device& device, lanesort_operation operation, const lanesort_sort_desc& desc, const cpu::Request& request,
                     const Room& room) noexcept {
  if (request.count == 0) return LANESORT_OK;
  try {
    return Pipeline(device, operation, desc, request, room).run();
  } catch (const std::bad_alloc&) {
    return api::fail(LANESORT_OUT_OF_MEMORY, "the host has no memory for the lists of a sort in parts");
  }
}

}  // namespace pipeline
}  // namespace v1
}  // namespace lanesort
