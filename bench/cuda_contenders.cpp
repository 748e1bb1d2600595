#include "bench/cuda_contenders.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

namespace lanesort::bench {
namespace {

using std::uint64_t;

void must(bool done, const cuda::Table& table, const char* what) {
  if (!done) throw Error(std::string(what) + ": " + table.trouble());
}

class Memory {
 public:
  Memory(const cuda::Table& table, uint64_t bytes)
      : table_(table), data_(table.allocate(std::max<uint64_t>(bytes, 256))), bytes_(bytes) {
    must(data_ != nullptr, table, "allocating device memory");
  }
  ~Memory() { table_.release(data_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  void* data() const { return data_; }
  void fill_from(const void* from) const { must(table_.copy(data_, from, bytes_), table_, "copying to the device"); }
  void bring(std::byte* to) const { must(table_.copy(to, data_, bytes_), table_, "copying from the device"); }

 private:
  const cuda::Table& table_;
  void* data_;
  uint64_t bytes_;
};

// The input, kept, and where everybody works.
struct Ground {
  const Arena& arena;
  const cuda::Table& table;
  Form form;
  Memory keys_src, values_src, keys, values, keys_other, values_other, begins;

  Ground(const Arena& of, Form in_form, const cuda::Table& by)
      : arena(of),
        table(by),
        form(in_form),
        keys_src(by, of.keys_bytes()),
        values_src(by, of.values_bytes()),
        keys(by, of.keys_bytes()),
        values(by, of.values_bytes()),
        keys_other(by, of.keys_bytes()),
        values_other(by, of.values_bytes()),
        begins(by, of.task.offsets.size_bytes()) {
    keys_src.fill_from(arena.keys_of(0));
    if (has_values()) {
      values_src.fill_from(arena.values_of(0));
    } else {
      const Buffer noise(arena.values_bytes());  // under an argsort's indices
      std::memset(noise.data(), 0xCD, arena.values_bytes());
      values_src.fill_from(noise.data());
    }
    if (!arena.task.offsets.empty()) begins.fill_from(arena.task.offsets.data());
    spoil();
  }
  lanesort_operation op() const { return arena.task.op; }
  bool has_values() const { return op() == LANESORT_OP_SORT_PAIRS; }
  void fresh() const {
    keys.fill_from(keys_src.data());
    if (has_values()) values.fill_from(values_src.data());
  }
  // Brings a result home for proof, and puts all out of order, so that nobody passes on what another one left.
  std::string fault_of(const Memory& sorted, const Memory& moved, bool stable) const {
    sorted.bring(arena.work_keys_of(0));
    moved.bring(arena.work_values_of(0));
    spoil();
    return find_fault(arena.task, arena.keys_of(0), arena.values_of(0), arena.work_keys_of(0), arena.work_values_of(0),
                      stable);
  }

 private:
  void spoil() const {
    for (const Memory* to : {&keys, &keys_other}) to->fill_from(keys_src.data());
    for (const Memory* to : {&values, &values_other}) to->fill_from(values_src.data());
  }
};

using SharedGround = std::shared_ptr<const Ground>;

class Timed : public Contender {
 public:
  Timed(const char* name, const char* version, SharedGround ground)
      : Contender(name, version), ground_(std::move(ground)) {}

  bool sort_array(uint64_t) final {
    const cuda::Table& table = ground_->table;
    must(table.start_clock(), table, "starting the device's clock");
    const bool done = record();
    must(table.stop_clock(&seconds_), table, "reading the device's clock");
    return done;
  }
  std::optional<double> own_seconds() const final { return seconds_; }

 protected:
  virtual bool record() = 0;  // what is timed, into the stream
  const Ground& ground() const { return *ground_; }

 private:
  SharedGround ground_;
  double seconds_ = 0;
};

class Ours final : public Timed {
 public:
  Ours(SharedGround on, const lanesort_cuda* handle)
      : Timed("lanesort", lanesort_version_string(), std::move(on)),
        handle_(handle),
        desc_(describe_arrays()),
        scratch_(ground().table, desc_.scratch_bytes) {
    desc_.scratch = scratch_.data();
  }

  void prepare() override {
    if (indexing() || ground().form == Form::src_dst) return;  // the input is only read
    ground().fresh();
  }
  std::string fault_of(uint64_t) override { return ground().fault_of(sorted(), ground().values, true); }
  std::optional<uint64_t> scratch_bytes() const override { return desc_.scratch_bytes; }

 private:
  bool indexing() const { return ground().op() == LANESORT_OP_ARGSORT; }
  const Memory& sorted() const { return indexing() ? ground().keys_src : ground().keys; }

  lanesort_sort_desc describe_arrays() const {
    const Ground& on = ground();
    const Task& task = on.arena.task;
    const bool in_place = on.form == Form::in_place;
    lanesort_sort_desc desc = describe(task);
    desc.keys_src = in_place && !indexing() ? on.keys.data() : on.keys_src.data();
    if (!indexing()) desc.keys_dst = on.keys.data();
    if (on.has_values()) desc.values_src = in_place ? on.values.data() : on.values_src.data();
    if (task.value_bytes != 0) desc.values_dst = on.values.data();
    if (!task.offsets.empty()) {
      desc.segment_begins = static_cast<const uint64_t*>(on.begins.data());
      desc.segment_count = task.offsets.size() - 1;
    }
    lanesort_capabilities capabilities = LANESORT_CAPABILITIES_INIT;
    if (lanesort_cuda_query(handle_, &capabilities) != LANESORT_OK ||
        lanesort_scratch_bytes(on.op(), &desc, &capabilities, &desc.scratch_bytes) != LANESORT_OK)
      throw Error(lanesort_last_error());
    return desc;
  }

  bool record() override {
    CUstream_st* const stream = static_cast<CUstream_st*>(ground().table.stream());
    switch (ground().op()) {
      case LANESORT_OP_SORT:
        return lanesort_cuda_sort(handle_, stream, &desc_, nullptr) == LANESORT_OK;
      case LANESORT_OP_SORT_PAIRS:
        return lanesort_cuda_sort_pairs(handle_, stream, &desc_, nullptr) == LANESORT_OK;
      default:
        return lanesort_cuda_argsort(handle_, stream, &desc_, nullptr) == LANESORT_OK;
    }
  }

  const lanesort_cuda* handle_;
  lanesort_sort_desc desc_;
  Memory scratch_;
};

struct Kind {
  const char* name;
  cuda::RivalForm form;
  bool segments, radix;
};

constexpr Kind kKinds[] = {{"cub", cuda::RivalForm::double_buffer, false, false},
                           {"cub plain", cuda::RivalForm::plain, false, false},
                           {"thrust", cuda::RivalForm::thrust, false, false},
                           {"cub segmented", cuda::RivalForm::double_buffer, true, false},
                           {"cub segmented radix", cuda::RivalForm::double_buffer, true, true}};

std::optional<cuda::KeyType> key_type(lanesort_dtype dtype) {
  switch (dtype) {
    case LANESORT_U8:
      return cuda::KeyType::u8;
    case LANESORT_U16:
      return cuda::KeyType::u16;
    case LANESORT_U32:
      return cuda::KeyType::u32;
    case LANESORT_U64:
      return cuda::KeyType::u64;
    case LANESORT_F32:
      return cuda::KeyType::f32;
    default:
      return {};
  }
}

// What the shared object has code for; widths of values besides, which it says itself.
bool knows(const Kind& kind, const Task& task) {
  if (!key_type(task.dtype) || task.order != LANESORT_ASCENDING || !task.whole_key()) return false;
  if (task.op == LANESORT_OP_ARGSORT && task.value_bytes != 4) return false;
  if (kind.segments != !task.offsets.empty()) return false;
  return !kind.segments || (task.dtype == LANESORT_U32 && task.op != LANESORT_OP_ARGSORT && task.value_bytes <= 4 &&
                            task.value_bytes % 4 == 0);
}

// Of src -> dst, a form that writes over its input is timed with the copy that its user would make first; of an argsort it
// is not, and may write over the keys.
class Theirs final : public Timed {
 public:
  Theirs(SharedGround on, const Kind& kind)
      : Timed(kind.name, on->table.version, on),
        kind_(kind),
        call_{*key_type(on->arena.task.dtype),
              on->arena.task.value_bytes,
              kind.form,
              on->op() == LANESORT_OP_ARGSORT,
              on->keys.data(),
              on->keys_other.data(),
              on->values.data(),
              on->values_other.data(),
              on->arena.task.count,
              nullptr,
              0,
              on->table.stream(),
              0},
        known_(call_rival()),
        temp_(on->table, known_ ? call_.temp_bytes : 0) {
    call_.temp = temp_.data();
  }
  bool known() const { return known_; }

  void prepare() override {
    if (!copies()) ground().fresh();
  }
  std::string fault_of(uint64_t) override {
    const Ground& on = ground();
    const bool indexing = on.op() == LANESORT_OP_ARGSORT;
    const Memory& moved = call_.selected != 0 ? on.values_other : on.values;
    return on.fault_of(indexing ? on.keys_src : call_.selected != 0 ? on.keys_other : on.keys, moved, true);
  }
  std::optional<uint64_t> scratch_bytes() const override { return call_.temp_bytes; }

 private:
  bool copies() const {
    return ground().form == Form::src_dst && ground().op() != LANESORT_OP_ARGSORT &&
           kind_.form != cuda::RivalForm::plain;
  }
  bool call_rival() {
    const Ground& on = ground();
    if (!kind_.segments) return on.table.sort(call_);
    return on.table.sort_segments(call_, on.arena.task.offsets.size() - 1,
                                  static_cast<const uint64_t*>(on.begins.data()), kind_.radix);
  }
  bool record() override {
    if (copies()) ground().fresh();
    return call_rival();
  }

  Kind kind_;
  cuda::RivalCall call_;
  bool known_;
  Memory temp_;
};

}  // namespace

std::vector<std::unique_ptr<Contender>> make_cuda_contenders(const Arena& arena, const BenchOptions& options,
                                                             const cuda::Table& table) {
  const auto ground = std::make_shared<const Ground>(arena, options.form, table);
  std::vector<std::unique_ptr<Contender>> all;
  all.push_back(std::make_unique<Ours>(ground, options.gpu->cuda));
  for (const Kind& kind : kKinds) {
    const bool wanted = options.rivals == "*" || std::string_view(kind.name).starts_with(options.rivals);
    if (!wanted || !knows(kind, arena.task)) continue;
    auto rival = std::make_unique<Theirs>(ground, kind);
    if (rival->known()) all.push_back(std::move(rival));
  }
  return all;
}

double cuda_copy_bytes_per_s(const cuda::Table& table) {
  constexpr uint64_t kBytes = uint64_t{1} << 30;
  const Memory from(table, kBytes), to(table, kBytes);
  std::vector<double> times(11);
  for (double& seconds : times) {
    must(table.start_clock() && table.copy(to.data(), from.data(), kBytes) && table.stop_clock(&seconds), table,
         "timing a copy");
  }
  std::sort(times.begin(), times.end());
  return 2.0 * static_cast<double>(kBytes) / times[times.size() / 2];
}

}  // namespace lanesort::bench
