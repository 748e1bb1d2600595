#include "pipeline/sort.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <new>

#include "api/status.hpp"
#include "pipeline/blocks.hpp"
#include "pipeline/cuts.hpp"
#include "pipeline/pages.hpp"
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
  Pipeline(Device& device, lanesort_operation operation, const lanesort_sort_desc& desc, const cpu::Request& request,
           const Room& room)
      : device_(device),
        operation_(operation),
        desc_(desc),
        request_(request),
        arrays_(request),
        room_(room),
        slots_(device),
        up_(device, Lane::up, room.copies),
        down_(device, Lane::down, room.copies) {}

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
      if (plan_.chunks > 1 && !room_.host_helps) cut_finer();
      std::uint64_t scratch = 0;
      status = scratch_bytes(plan_.chunk, &scratch);
      if (status == LANESORT_OK) status = slots_.allocate(plan_, arrays_.key_bytes, arrays_.value_bytes, scratch);
      if (status == LANESORT_OK) return status;
      if (status == LANESORT_OUT_OF_MEMORY && bytes > 1) status = LANESORT_OK;
    }
  }

  // Cut for two to share, runs apart from the results. Less is on the device at once than before.
  void share_out() {
    const std::uint64_t chunks = std::max(plan_.chunks, std::min(arrays_.count, tune::kSharedLoads));
    const std::uint64_t chunk = (arrays_.count + chunks - 1) / chunks;
    blocks_ = {arrays_.count, chunk, chunk, true};
    plan_ = {chunk, blocks_.chunks(), blocks_.chunks() == 1 ? 1 : plan::kChunkSlots};
  }

  void cut_finer() {
    const tune::HostCopies& copies = room_.copies;
    const std::uint64_t bytes = arrays_.count * (arrays_.key_bytes + arrays_.value_bytes);
    blocks_ = plan::plan_blocks(arrays_.count, plan_.chunk, std::min(copies.most_chunks, bytes / copies.chunk_bytes),
                                copies.blocks);
    plan_.chunk = blocks_.chunk;
    plan_.chunks = blocks_.chunks();
  }

  Trip trip(lanesort_operation operation, std::uint64_t loads) const { return {operation, desc_, loads, {}, {}, {}}; }

  TripEnd by_name(const char* name, const Trip& of) {
    const trace::Phase phase(name);
    return run_trip(device_, slots_, of, up_, down_);
  }

  lanesort_status one_trip() {
    Trip whole = trip(operation_, 1);
    whole.load = [this](std::uint64_t) { return chunk(0, {arrays_.keys_dst, arrays_.values_dst}, false); };
    return run_trip(device_, slots_, whole, up_, down_).status;
  }

  // The i-th chunk of the source.
  Load chunk(std::uint64_t i, const Columns& to, bool make_numbers) const {
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
    load.keys_to = to.keys;
    if (vb != 0) load.values_to = to.values;
    return load;
  }
  Load chunk_in_parts(std::uint64_t i, const Columns& to) const {
    return chunk(i, to, operation_ == LANESORT_OP_ARGSORT);
  }

  lanesort_status two_trips() {
    const std::uint64_t kb = arrays_.key_bytes, vb = arrays_.value_bytes,
                        spare = blocks_.spare_blocks() * blocks_.block,
                        own_keys = blocks_.apart || arrays_.keys_dst == nullptr ? arrays_.count : 0,
                        own_values = blocks_.apart ? arrays_.count : 0;
    Pages spare_keys, spare_values, keys, values;
    if (!spare_keys.allocate(spare * kb) || !spare_values.allocate(spare * vb) || !keys.allocate(own_keys * kb) ||
        !values.allocate(own_values * vb)) {
      return api::fail(
          LANESORT_OUT_OF_MEMORY,
          "the device's memory holds %llu of %llu items, and the host has not the %llu bytes to keep runs of them in",
          static_cast<u64>(plan_.chunk), static_cast<u64>(arrays_.count),
          static_cast<u64>((spare + own_keys) * kb + (spare + own_values) * vb));
    }
    homes_ = {own_keys == 0 ? arrays_.keys_dst : keys.data(), vb == 0           ? nullptr
                                                              : own_values == 0 ? arrays_.values_dst
                                                                                : values.data()};
    Blocks blocks(blocks_, request_.key, arrays_.value_bytes, homes_, {spare_keys.data(), spare_values.data()});
    Trip runs = trip(by_parts(), plan_.chunks), ranges = runs;
    runs.load = [&](std::uint64_t i) { return chunk_in_parts(i, blocks.place_of_run(i)); };
    cuts_.assign(1, std::vector<std::uint64_t>(plan_.chunks, 0));
    ranges.prepare = [&](std::uint64_t i) { cuts_.push_back(cut_runs(blocks.runs(), end_of(i), cuts_.back())); };
    ranges.load = [&](std::uint64_t i) { return range(blocks, i); };
    return blocks_.apart ? go_with_host(blocks, runs, ranges) : go_alone(blocks, runs, ranges);
  }

  lanesort_status go_alone(const Blocks& blocks, const Trip& runs, const Trip& ranges) {
    const TripEnd made = by_name("trip of runs", runs);
    if (made.status != LANESORT_OK) {
      // The first run is in spare memory, so until it is there nothing is lost.
      return made.done == 0 || !arrays_.in_place() ? made.status : end_runs_here(blocks, made.done);
    }
    const TripEnd placed = by_name("trip of ranges", ranges);
    return placed.status == LANESORT_OK || !arrays_.in_place() ? placed.status : end_ranges_here(blocks, placed.done);
  }

  lanesort_status go_with_host(const Blocks& blocks, Trip& runs, Trip& ranges) {
    HostPart part;
    const lanesort_status ready = part.set_out(*this);
    if (ready != LANESORT_OK) return ready;
    runs.here = [&](std::uint64_t i) { return sort_here(chunk_in_parts(i, blocks.place_of_run(i)), part); };
    ranges.here = [&](std::uint64_t i) { return sort_here(range_apart(blocks, i), part); };
    const TripEnd made = by_name("trip of runs", runs);
    if (made.status != LANESORT_OK) return made.status;
    const TripEnd placed = by_name("trip of ranges", ranges);
    if (room_.host_share != nullptr)
      *room_.host_share = static_cast<double>(made.here + placed.here) / static_cast<double>(2 * plan_.chunks);
    if (placed.status == LANESORT_OK || !arrays_.in_place()) return placed.status;
    // The source is lost in part, but the runs have every item.
    for (std::uint64_t i = placed.done; i < plan_.chunks - placed.here; ++i) {
      const lanesort_status status = ranges.here(i);
      if (status != LANESORT_OK) return status;
    }
    return LANESORT_OK;
  }

  std::uint64_t end_of(std::uint64_t range) const { return std::min(arrays_.count, (range + 1) * plan_.chunk); }
  Columns homes_at(std::uint64_t item) const {
    return {homes_.keys + item * arrays_.key_bytes,
            homes_.values == nullptr ? nullptr : homes_.values + item * arrays_.value_bytes};
  }

  // cuts_ of ranges from the i-th on.
  void forget_cuts_before(std::uint64_t i) {
    for (; first_cut_ < i; ++first_cut_) cuts_.pop_front();
  }

  // The i-th range of the whole, out of all runs, to its place in the results.
  Load range(Blocks& blocks, std::uint64_t i) {
    if (i >= plan::kChunkSlots) {
      forget_cuts_before(i - plan::kChunkSlots + 1);
      if (!blocks_.apart) blocks.give_back(cuts_.front());
    }
    if (!blocks_.apart) blocks.clear(i, up_);
    return range_of(blocks, i, cuts_[i - first_cut_], cuts_[i + 1 - first_cut_]);
  }

  // Of runs that stand apart, in any order.
  Load range_apart(const Blocks& blocks, std::uint64_t i) const {
    const std::vector<std::uint64_t> none(plan_.chunks, 0), from = cut_runs(blocks.runs(), i * plan_.chunk, none);
    return range_of(blocks, i, from, cut_runs(blocks.runs(), end_of(i), from));
  }

  Load range_of(const Blocks& blocks, std::uint64_t i, const std::vector<std::uint64_t>& from,
                const std::vector<std::uint64_t>& to) const {
    const std::uint64_t begin = i * plan_.chunk;
    Load load;
    load.count = end_of(i) - begin;
    for (std::uint64_t r = 0; r < to.size(); ++r) blocks.add_to(&load, r, from[r], to[r]);
    if (arrays_.keys_dst != nullptr) load.keys_to = arrays_.keys_dst + begin * arrays_.key_bytes;
    if (arrays_.value_bytes != 0) load.values_to = arrays_.values_dst + begin * arrays_.value_bytes;
    return load;
  }

  // The first trip broke, in place: runs go back to where their chunks were, and the host sorts all.
  lanesort_status end_runs_here(const Blocks& blocks, std::uint64_t done) const {
    for (std::uint64_t i = plan_.chunks; i-- > 0;) {
      const Columns to = homes_at(i * plan_.chunk), run = blocks.place_of_run(i);
      Load load = chunk_in_parts(i, to);
      if (i < done) {
        load.keys = {{{run.keys, load.keys.bytes}}, load.keys.bytes};
        load.values = {{{run.values, load.values.bytes}}, load.values.bytes};
      }
      // Chunks that are not sorted yet may be where they belong.
      if (i < done || arrays_.keys_src != homes_.keys) copy_cargo(load.keys, 0, to.keys, load.keys.bytes);
      if (i < done || arrays_.values_src != homes_.values) copy_cargo(load.values, 0, to.values, load.values.bytes);
    }
    return sort_rest(homes_, homes_, arrays_.count);
  }

  // The second trip broke, in place: what is not yet in the results is brought together, run after run, and sorted to its place.
  lanesort_status end_ranges_here(const Blocks& blocks, std::uint64_t done) {
    forget_cuts_before(done);
    Load rest;
    for (std::uint64_t r = 0; r < plan_.chunks; ++r)
      blocks.add_to(&rest, r, cuts_.front()[r], blocks.runs().length_of(r));
    Pages keys, values;
    if (!keys.allocate(rest.keys.bytes) || !values.allocate(rest.values.bytes)) throw std::bad_alloc();
    copy_cargo(rest.keys, 0, keys.data(), rest.keys.bytes);
    copy_cargo(rest.values, 0, values.data(), rest.values.bytes);
    const std::uint64_t begin = std::min(arrays_.count, done * plan_.chunk);
    return sort_rest({keys.data(), values.data()}, homes_at(begin), arrays_.count - begin);
  }

  lanesort_status sort_rest(const Columns& from, const Columns& to, std::uint64_t count) const {
    const lanesort_sort_desc desc = on_host(count, from, to);
    return by_parts() == LANESORT_OP_SORT ? lanesort_sort(&desc) : lanesort_sort_pairs(&desc);
  }

  lanesort_sort_desc on_host(std::uint64_t count, const Columns& from, const Columns& to) const {
    lanesort_sort_desc desc = desc_;
    desc.count = count;
    desc.keys_src = from.keys;
    desc.keys_dst = to.keys;
    desc.values_src = from.values;
    desc.values_dst = to.values;
    desc.scratch = nullptr;
    desc.scratch_bytes = 0;
    return desc;
  }

  // What the host needs to sort loads.
  struct HostPart {
    std::unique_ptr<std::byte[]> scratch, keys;  // the latter where an argsort has no place for them
    std::uint64_t scratch_bytes = 0;

    // Before anything is written, lest memory be short in the middle.
    lanesort_status set_out(const Pipeline& of) {
      lanesort_sort_desc desc = of.on_host(of.plan_.chunk, {}, {});
      const lanesort_status status = lanesort_scratch_bytes(of.by_parts(), &desc, nullptr, &scratch_bytes);
      if (status != LANESORT_OK) return status;
      scratch.reset(new std::byte[scratch_bytes]);
      if (of.arrays_.keys_dst == nullptr) keys.reset(new std::byte[of.plan_.chunk * of.arrays_.key_bytes]);
      return LANESORT_OK;
    }
  };

  lanesort_status sort_here(const Load& load, const HostPart& part) const {
    const Columns to = {load.keys_to == nullptr ? part.keys.get() : load.keys_to, load.values_to};
    copy_cargo(load.keys, 0, to.keys, load.keys.bytes);
    copy_cargo(load.values, 0, to.values, load.values.bytes);
    lanesort_sort_desc desc = on_host(load.count, to, to);
    desc.scratch = part.scratch.get();
    desc.scratch_bytes = part.scratch_bytes;
    return by_parts() == LANESORT_OP_SORT ? lanesort_sort(&desc) : lanesort_sort_pairs(&desc);
  }

  Device& device_;
  const lanesort_operation operation_;
  const lanesort_sort_desc& desc_;
  const cpu::Request& request_;
  const Arrays arrays_;
  const Room& room_;
  plan::ChunkPlan plan_;
  plan::BlockPlan blocks_;  // where there are several chunks
  Slots slots_;
  Carrier up_, down_;
  Columns homes_;                                // where runs stand: the results, or arrays of our own
  std::deque<std::vector<std::uint64_t>> cuts_;  // where ranges begin in each run, from the first_cut_-th range on
  std::uint64_t first_cut_ = 0;
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
