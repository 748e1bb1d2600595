#include "bench/contenders.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "bench/strided.hpp"

namespace lanesort::bench {

using std::uint64_t;

namespace {

class Lanesort : public Contender {
 public:
  Lanesort(const Arena& arena, Form form, const char* name = "lanesort")
      : Contender(name, lanesort_version_string()), arena_(arena), form_(form) {}

  void prepare() override {
    if (arena_.task.op == LANESORT_OP_ARGSORT || form_ == Form::src_dst) return;  // the input is only read
    std::memcpy(arena_.work_keys_of(0), arena_.keys_of(0), arena_.arrays * arena_.keys_bytes());
    if (arena_.task.op == LANESORT_OP_SORT_PAIRS) {
      std::memcpy(arena_.work_values_of(0), arena_.values_of(0), arena_.arrays * arena_.values_bytes());
    }
  }

  std::string fault_of(uint64_t a) override {
    return find_fault(arena_.task, arena_.keys_of(a), arena_.values_of(a), arena_.work_keys_of(a),
                      arena_.work_values_of(a), true);
  }

 protected:
  lanesort_operation op() const { return arena_.task.op; }

  lanesort_sort_desc describe_array(uint64_t a) const {
    lanesort_sort_desc desc = describe(arena_.task);
    const bool in_place = form_ == Form::in_place;
    if (arena_.task.op == LANESORT_OP_ARGSORT) {
      desc.keys_src = arena_.keys_of(a);
      desc.values_dst = arena_.work_values_of(a);
      return desc;
    }
    desc.keys_dst = arena_.work_keys_of(a);
    desc.keys_src = in_place ? arena_.work_keys_of(a) : arena_.keys_of(a);
    if (arena_.task.op == LANESORT_OP_SORT_PAIRS) {
      desc.values_dst = arena_.work_values_of(a);
      desc.values_src = in_place ? arena_.work_values_of(a) : arena_.values_of(a);
    }
    return desc;
  }

 private:
  const Arena& arena_;
  Form form_;
};

// The caller's, of the exact size.
class Scratch {
 public:
  Scratch() = default;
  Scratch(lanesort_operation op, const lanesort_sort_desc& desc, const lanesort_capabilities& capabilities) {
    const lanesort_status status = lanesort_scratch_bytes(op, &desc, &capabilities, &bytes_);
    if (status == LANESORT_OUT_OF_MEMORY) throw std::bad_alloc();
    if (status != LANESORT_OK) throw Error(lanesort_last_error());
    memory_ = Buffer(bytes_);
  }
  void lend(lanesort_sort_desc& desc) const {
    desc.scratch = memory_.data();
    desc.scratch_bytes = bytes_;
  }
  uint64_t bytes() const { return bytes_; }

 private:
  Buffer memory_;
  uint64_t bytes_ = 0;
};

class OnCpu final : public Lanesort {
 public:
  OnCpu(const Arena& arena, Form form, const lanesort_capabilities& capabilities, const char* name)
      : Lanesort(arena, form, name), scratch_(op(), describe_array(0), capabilities) {}

  bool sort_array(uint64_t a) override {
    lanesort_sort_desc desc = describe_array(a);
    scratch_.lend(desc);
    switch (op()) {
      case LANESORT_OP_SORT:
        return lanesort_sort(&desc) == LANESORT_OK;
      case LANESORT_OP_SORT_PAIRS:
        return lanesort_sort_pairs(&desc) == LANESORT_OK;
      default:
        return lanesort_argsort(&desc) == LANESORT_OK;
    }
  }
  std::optional<uint64_t> scratch_bytes() const override { return scratch_.bytes(); }

 private:
  Scratch scratch_;
};

// By the device's clock.
bool run_by_clock(const Gpu& gpu, lanesort_operation op, const lanesort_sort_desc& desc, double* seconds) {
  if (gpu.run(op, desc, seconds) != LANESORT_OK) return false;
  if (*seconds == 0 && desc.count != 0)
    throw Error("the device has no timestamps, and the host's clock would time the way to it and back");
  return true;
}

std::optional<uint64_t> scratch_on(const Gpu& gpu, lanesort_operation op, const lanesort_sort_desc& desc) {
  lanesort_capabilities capabilities = LANESORT_CAPABILITIES_INIT;
  uint64_t bytes = 0;
  const bool known = gpu.query(&capabilities) == LANESORT_OK &&
                     lanesort_scratch_bytes(op, &desc, &capabilities, &bytes) == LANESORT_OK;
  return known ? std::optional(bytes) : std::nullopt;
}

// Proved as the beginning of a sort of all, which is proved by itself.
class TopK final : public Contender {
 public:
  TopK(const Arena& arena, const lanesort_capabilities& capabilities, const Gpu* gpu)
      : Contender("lanesort", lanesort_version_string()),
        arena_(arena),
        gpu_(gpu),
        kept_(std::min(arena.task.k, arena.task.count)),
        keys_(arena.arrays * kept_ * arena.task.key_bytes),
        indices_(arena.arrays * kept_ * arena.task.value_bytes),
        scratch_(gpu == nullptr ? Scratch(LANESORT_OP_TOP_K, describe_array(0), capabilities) : Scratch()) {}

  void prepare() override {}  // the input is only read

  bool sort_array(uint64_t a) override {
    lanesort_sort_desc desc = describe_array(a);
    if (gpu_ != nullptr) return run_by_clock(*gpu_, LANESORT_OP_TOP_K, desc, &seconds_);
    scratch_.lend(desc);
    return lanesort_top_k(&desc) == LANESORT_OK;
  }
  std::optional<double> own_seconds() const override {
    return gpu_ != nullptr ? std::optional(seconds_) : std::nullopt;
  }
  std::optional<uint64_t> scratch_bytes() const override {
    return gpu_ != nullptr ? scratch_on(*gpu_, LANESORT_OP_TOP_K, describe_array(0)) : scratch_.bytes();
  }

  std::string fault_of(uint64_t a) override {
    const Task& task = arena_.task;
    const Buffer keys(arena_.keys_bytes()), indices(arena_.values_bytes());
    std::memcpy(keys.data(), arena_.keys_of(a), arena_.keys_bytes());
    lanesort_sort_desc desc = describe(task);
    desc.keys_src = keys.data();
    desc.values_dst = indices.data();
    const bool indexed = task.op == LANESORT_OP_ARGSORT;
    if (!indexed) desc.keys_dst = keys.data();
    if ((indexed ? lanesort_argsort(&desc) : lanesort_sort(&desc)) != LANESORT_OK) return lanesort_last_error();
    const std::string fault = find_fault(task, arena_.keys_of(a), nullptr, keys.data(), indices.data(), true);
    if (!fault.empty()) return fault;
    const std::byte *const kept_keys = keys_of(a), *const kept_indices = indices_of(a);
    if (!indexed) return std::memcmp(keys.data(), kept_keys, kept_ * task.key_bytes) == 0 ? "" : "not the first keys";
    if (std::memcmp(indices.data(), kept_indices, kept_ * task.value_bytes) != 0) return "not the first indices";
    for (uint64_t i = 0; i < kept_; ++i) {
      uint64_t index = 0;
      std::memcpy(&index, kept_indices + i * task.value_bytes, task.value_bytes);
      if (std::memcmp(kept_keys + i * task.key_bytes, keys.data() + index * task.key_bytes, task.key_bytes) != 0)
        return "keys that are not those of the indices";
    }
    return {};
  }

 private:
  lanesort_sort_desc describe_array(uint64_t a) const {
    lanesort_sort_desc desc = describe(arena_.task);
    desc.k = arena_.task.k;
    desc.keys_src = arena_.keys_of(a);
    desc.keys_dst = keys_of(a);
    desc.values_dst = indices_of(a);
    return desc;
  }
  std::byte* keys_of(uint64_t a) const { return keys_.data() + a * kept_ * arena_.task.key_bytes; }
  std::byte* indices_of(uint64_t a) const { return indices_.data() + a * kept_ * arena_.task.value_bytes; }

  const Arena& arena_;
  const Gpu* gpu_;  // NULL: the CPU
  uint64_t kept_;
  Buffer keys_, indices_;
  Scratch scratch_;
  double seconds_ = 0;
};

class OnGpu final : public Lanesort {
 public:
  OnGpu(const Arena& arena, Form form, const Gpu& gpu, const char* name, Clock clock)
      : Lanesort(arena, form, name), gpu_(gpu), clock_(clock) {}

  bool sort_array(uint64_t a) override {
    if (clock_ == Clock::device) return run_by_clock(gpu_, op(), describe_array(a), &seconds_);
    return gpu_.run(op(), describe_array(a), nullptr, &host_share_) == LANESORT_OK;
  }
  std::optional<double> own_seconds() const override {
    return clock_ == Clock::device ? std::optional(seconds_) : std::nullopt;
  }
  std::optional<double> host_share() const override {
    return gpu_.with_cpu ? std::optional(host_share_) : std::nullopt;
  }
  std::optional<uint64_t> scratch_bytes() const override { return scratch_on(gpu_, op(), describe_array(0)); }

 private:
  Gpu gpu_;
  Clock clock_;
  double seconds_ = 0, host_share_ = 0;
};

// Works in place in the work buffer; for src -> dst the copy that its user would make first is in the time.
class Other final : public Contender {
 public:
  Other(const Arena& arena, Form form, const RivalEntry& entry, const RivalCase& request)
      : Contender(entry.name, entry.version), arena_(arena), form_(form), entry_(entry), request_(request) {}

  void prepare() override {
    if (form_ == Form::in_place) fill(0, arena_.arrays);
  }

  bool sort_array(uint64_t a) override {
    if (form_ == Form::src_dst) fill(a, 1);
    if (arena_.task.offsets.empty()) return entry_.run(request_, arena_.keys_of(a), data_of(a));
    return sort_segments(arena_.keys_of(a), data_of(a));
  }

  std::string fault_of(uint64_t a) override {
    const Task& task = arena_.task;
    const std::byte* const data = data_of(a);
    if (task.op != LANESORT_OP_SORT_PAIRS) {
      return find_fault(task, arena_.keys_of(a), nullptr, data, data, entry_.stable);
    }
    const Buffer keys(arena_.keys_bytes()), values(arena_.values_bytes());
    const uint64_t step = arena_.record.record_bytes;
    copy_items({keys.data(), task.key_bytes}, {data, step}, task.key_bytes, task.count);
    copy_items({values.data(), task.value_bytes}, {data + arena_.record.value_offset, step}, task.value_bytes,
               task.count);
    return find_fault(task, arena_.keys_of(a), arena_.values_of(a), keys.data(), values.data(), entry_.stable);
  }

 private:
  // In a loop, as who has no segments sorts them.
  bool sort_segments(const std::byte* keys, std::byte* data) const {
    const auto& offsets = arena_.task.offsets;
    const uint64_t item_bytes = array_bytes() / std::max<uint64_t>(arena_.task.count, 1);
    const uint64_t step = arena_.task.op == LANESORT_OP_ARGSORT ? arena_.task.value_bytes : item_bytes;
    RivalCase part = request_;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      part.count = offsets[s + 1] - offsets[s];
      if (!entry_.run(part, keys + offsets[s] * arena_.task.key_bytes, data + offsets[s] * step)) return false;
    }
    return true;
  }

  bool takes_records() const { return arena_.task.op == LANESORT_OP_SORT_PAIRS; }

  uint64_t array_bytes() const {
    return takes_records() ? arena_.task.count * arena_.record.record_bytes : arena_.keys_bytes();
  }

  std::byte* data_of(uint64_t a) const {
    return arena_.task.op == LANESORT_OP_ARGSORT ? arena_.work_values_of(a) : arena_.work.data() + a * array_bytes();
  }

  void fill(uint64_t first, uint64_t arrays) const {
    if (arena_.task.op == LANESORT_OP_ARGSORT) return;  // the keys are only read
    const std::byte* const input = takes_records() ? arena_.records.data() : arena_.keys.data();
    std::memcpy(data_of(first), input + first * array_bytes(), arrays * array_bytes());
  }

  const Arena& arena_;
  Form form_;
  RivalEntry entry_;
  RivalCase request_;
};

}  // namespace

std::unique_ptr<Contender> make_lanesort(const Arena& arena, Form form, const lanesort_capabilities& capabilities,
                                         const char* name) {
  return std::make_unique<OnCpu>(arena, form, capabilities, name);
}

std::unique_ptr<Contender> make_top_k(const Arena& arena, const lanesort_capabilities& capabilities, const Gpu* gpu) {
  return std::make_unique<TopK>(arena, capabilities, gpu);
}

std::unique_ptr<Contender> make_lanesort_on(const Arena& arena, Form form, const Gpu& gpu, const char* name,
                                            Clock clock) {
  return std::make_unique<OnGpu>(arena, form, gpu, name, clock);
}

std::unique_ptr<Contender> make_rival(const Arena& arena, Form form, const RivalEntry& entry, const RivalCase& request) {
  return std::make_unique<Other>(arena, form, entry, request);
}

}  // namespace lanesort::bench
