#include "bench/ladder/webgpu/runner.hpp"

#include <algorithm>
#include <cstring>

#include "bench/machine.hpp"
#include "bench/patterns.hpp"
#include "webgpu/error_scope.hpp"

namespace lanesort::bench::ladder_webgpu {

namespace abi = webgpu::abi;
using std::uint32_t;
using std::uint64_t;
using webgpu::view;

class Buffer {
 public:
  Buffer(lanesort_webgpu& handle, uint64_t bytes, abi::Flags usage) : handle_(handle) {
    abi::BufferDescriptor descriptor;
    descriptor.usage = usage;
    descriptor.size = std::max<uint64_t>(bytes, 16);
    buffer_ = handle.api.wgpuDeviceCreateBuffer(handle.device, &descriptor);
  }
  ~Buffer() {
    if (buffer_ == nullptr) return;
    handle_.api.wgpuBufferDestroy(buffer_);  // at once: the next recipe's want the room
    handle_.api.wgpuBufferRelease(buffer_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  abi::Buffer get() const { return buffer_; }

 private:
  lanesort_webgpu& handle_;
  abi::Buffer buffer_;
};

namespace {

constexpr abi::Flags kDevice = abi::usage::kStorage | abi::usage::kCopyDst | abi::usage::kCopySrc;
constexpr uint64_t kStride = 256;  // of dynamic offsets, on every device
constexpr uint64_t kMostInRow = 65535;  // workgroups
constexpr uint32_t kMostStamps = 512;

void submit(lanesort_webgpu& handle, abi::CommandEncoder encoder) {
  const abi::CommandBuffer commands = handle.api.wgpuCommandEncoderFinish(encoder, nullptr);
  handle.api.wgpuQueueSubmit(handle.queue, 1, &commands);
  handle.api.wgpuCommandBufferRelease(commands);
  handle.api.wgpuCommandEncoderRelease(encoder);
}

abi::CommandEncoder encoder_of(lanesort_webgpu& handle) {
  return handle.api.wgpuDeviceCreateCommandEncoder(handle.device, nullptr);
}

// Waits for what was given to the queue before.
void read(lanesort_webgpu& handle, const Buffer& from, const Buffer& staging, void* to, uint64_t bytes) {
  const abi::CommandEncoder encoder = encoder_of(handle);
  handle.api.wgpuCommandEncoderCopyBufferToBuffer(encoder, from.get(), 0, staging.get(), 0, bytes);
  submit(handle, encoder);
  std::string words;
  abi::CallbackInfo<abi::BufferMapCallback> info;
  info.mode = abi::kWaitAnyOnly;
  info.callback = [](abi::Enum status, abi::StringView message, void* userdata, void*) {
    if (status != abi::kStatusSuccess) *static_cast<std::string*>(userdata) = "reading: " + webgpu::words_of(message);
  };
  info.userdata1 = &words;
  abi::FutureWaitInfo wait{handle.api.wgpuBufferMapAsync(staging.get(), abi::kMapRead, 0, bytes, info), 0};
  handle.api.wgpuInstanceWaitAny(handle.instance, 1, &wait, UINT64_MAX);
  if (!words.empty()) throw Error(words);
  std::memcpy(to, handle.api.wgpuBufferGetConstMappedRange(staging.get(), 0, bytes), bytes);
  handle.api.wgpuBufferUnmap(staging.get());
}

}  // namespace

// The layouts and pipelines of a recipe, which are those of all counts.
class Program {
 public:
  Program(lanesort_webgpu& handle, const Recipe& recipe) : handle_(handle) {
    webgpu::ErrorScope scope(handle);
    make_layouts(recipe);
    make_pipelines(recipe);
    const std::string words = scope.close();
    if (!words.empty()) throw Error(words);
  }
  ~Program() {
    for (const auto& [name, pipeline] : pipelines_)
      if (pipeline != nullptr) handle_.api.wgpuComputePipelineRelease(pipeline);
    for (const abi::BindGroupLayout layout : layouts_)
      if (layout != nullptr) handle_.api.wgpuBindGroupLayoutRelease(layout);
    if (pipeline_layout_ != nullptr) handle_.api.wgpuPipelineLayoutRelease(pipeline_layout_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  abi::ComputePipeline pipeline(const char* kernel) const { return pipelines_.at(kernel); }
  abi::BindGroupLayout buffers() const { return layouts_[0]; }
  abi::BindGroupLayout params() const { return layouts_[1]; }

 private:
  void make_layouts(const Recipe& recipe) {
    std::vector<abi::BindGroupLayoutEntry> entries(recipe.bindings[0].size());
    for (uint32_t i = 0; i < entries.size(); ++i) {
      entries[i].binding = i;
      entries[i].buffer.type = i < recipe.read_only ? abi::kReadOnlyStorageBuffer : abi::kStorageBuffer;
    }
    abi::BindGroupLayoutEntry uniform;
    uniform.buffer.type = abi::kUniformBuffer;
    uniform.buffer.hasDynamicOffset = 1;
    const abi::BindGroupLayoutDescriptor descriptors[] = {{nullptr, view("rung"), entries.size(), entries.data()},
                                                          {nullptr, view("rung"), 1, &uniform}};
    for (int i = 0; i < 2; ++i) layouts_[i] = handle_.api.wgpuDeviceCreateBindGroupLayout(handle_.device, &descriptors[i]);
    const abi::PipelineLayoutDescriptor layout{nullptr, view("rung"), 2, layouts_, 0};
    pipeline_layout_ = handle_.api.wgpuDeviceCreatePipelineLayout(handle_.device, &layout);
  }

  void make_pipelines(const Recipe& recipe) {
    abi::ShaderSourceWgsl source;
    source.code = view(recipe.text);
    const abi::ShaderModuleDescriptor module_descriptor{&source.chain, view("rung")};
    const abi::ShaderModule module = handle_.api.wgpuDeviceCreateShaderModule(handle_.device, &module_descriptor);
    std::vector<abi::ConstantEntry> constants;
    for (const auto& [name, value] : recipe.constants) constants.push_back({nullptr, view(name), value});
    for (const char* const kernel : recipe.kernels) {
      abi::ComputePipelineDescriptor descriptor;
      descriptor.layout = pipeline_layout_;
      descriptor.compute = {nullptr, module, view(kernel), constants.size(), constants.data()};
      pipelines_[kernel] = handle_.api.wgpuDeviceCreateComputePipeline(handle_.device, &descriptor);
    }
    if (module != nullptr) handle_.api.wgpuShaderModuleRelease(module);
  }

  lanesort_webgpu& handle_;
  abi::BindGroupLayout layouts_[2] = {};
  abi::PipelineLayout pipeline_layout_ = nullptr;
  std::map<std::string, abi::ComputePipeline> pipelines_;
};

// Buffers and parameters of a recipe for one count.
class Prepared {
 public:
  Prepared(lanesort_webgpu& handle, const Program* program, const Recipe& recipe)
      : handle_(handle), program_(program), recipe_(recipe) {
    webgpu::ErrorScope scope(handle);
    for (const uint64_t bytes : recipe.buffers) buffers_.push_back(std::make_unique<Buffer>(handle, bytes, kDevice));
    input_ = std::make_unique<Buffer>(handle, recipe.buffers[0], kDevice);
    staging_ = std::make_unique<Buffer>(handle, std::max<uint64_t>(recipe.buffers[0], 8 * kMostStamps),
                                        abi::usage::kMapRead | abi::usage::kCopyDst);
    params_ = std::make_unique<Buffer>(handle, kStride * std::max<std::size_t>(recipe.launches.size(), 1),
                                       abi::usage::kUniform | abi::usage::kCopyDst);
    for (std::size_t i = 0; i < recipe.launches.size(); ++i)
      handle.api.wgpuQueueWriteBuffer(handle.queue, params_->get(), kStride * i, &recipe.launches[i].params,
                                      sizeof(Params));
    if (recipe.sorter == nullptr) make_groups();
    if (handle.api.wgpuDeviceHasFeature(handle.device, handle.api.features.timestamp_query) != 0) make_clock();
    const std::string words = scope.close();
    if (!words.empty()) throw Error(words);
  }

  ~Prepared() {
    for (const abi::BindGroup group : groups_)
      if (group != nullptr) handle_.api.wgpuBindGroupRelease(group);
    if (stamps_ == nullptr) return;
    handle_.api.wgpuQuerySetDestroy(stamps_);
    handle_.api.wgpuQuerySetRelease(stamps_);
  }
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  void write(std::span<const uint32_t> keys) const {
    handle_.api.wgpuQueueWriteBuffer(handle_.queue, input_->get(), 0, keys.data(), keys.size_bytes());
  }
  void read_keys(std::span<uint32_t> keys) const {
    read(handle_, *buffers_[recipe_.result], *staging_, keys.data(), keys.size_bytes());
  }
  void settle() const {
    uint64_t word = 0;
    read(handle_, *input_, *staging_, &word, sizeof word);
  }

  // Fresh keys, then all launches in one pass.
  void encode(abi::CommandEncoder encoder, bool timed) const {
    handle_.api.wgpuCommandEncoderCopyBufferToBuffer(encoder, input_->get(), 0, buffers_[0]->get(), 0,
                                                     recipe_.buffers[0]);
    encode_pass(encoder, 0, recipe_.launches.size(), timed ? 0 : kNoStamp);
  }

  double timed() const {
    const abi::CommandEncoder encoder = encoder_of(handle_);
    encode(encoder, true);
    return seconds_of(encoder, 1)[0];
  }

  std::map<std::string, double> by_kernel() const {
    std::vector<std::pair<std::size_t, std::size_t>> runs;  // of launches of one kernel
    for (std::size_t i = 0; i < recipe_.launches.size(); ++i) {
      if (i == 0 || std::strcmp(recipe_.launches[i].kernel, recipe_.launches[i - 1].kernel) != 0)
        runs.emplace_back(i, i);
      runs.back().second = i + 1;
    }
    std::map<std::string, double> sums;
    if (stamps_ == nullptr || 2 * runs.size() > kMostStamps) return sums;
    const abi::CommandEncoder encoder = encoder_of(handle_);
    handle_.api.wgpuCommandEncoderCopyBufferToBuffer(encoder, input_->get(), 0, buffers_[0]->get(), 0,
                                                     recipe_.buffers[0]);
    for (std::size_t i = 0; i < runs.size(); ++i)
      encode_pass(encoder, runs[i].first, runs[i].second, static_cast<uint32_t>(i));
    const std::vector<double> seconds = seconds_of(encoder, runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) sums[recipe_.launches[runs[i].first].kernel] += seconds[i];
    return sums;
  }

  bool has_clock() const { return stamps_ != nullptr; }

 private:
  static constexpr uint32_t kNoStamp = ~0u;

  void make_groups() {
    for (const std::vector<std::size_t>& set : recipe_.bindings) {
      std::vector<abi::BindGroupEntry> bound(set.size());
      for (uint32_t i = 0; i < set.size(); ++i) bound[i].binding = i, bound[i].buffer = buffers_[set[i]]->get();
      add_group(program_->buffers(), bound);
    }
    std::vector<abi::BindGroupEntry> bound(1);
    bound[0].buffer = params_->get(), bound[0].size = sizeof(Params);
    add_group(program_->params(), bound);
  }

  void add_group(abi::BindGroupLayout layout, const std::vector<abi::BindGroupEntry>& entries) {
    const abi::BindGroupDescriptor descriptor{nullptr, view("rung"), layout, entries.size(), entries.data()};
    groups_.push_back(handle_.api.wgpuDeviceCreateBindGroup(handle_.device, &descriptor));
  }

  void make_clock() {
    const abi::QuerySetDescriptor descriptor{nullptr, view("rung"), abi::kTimestampQuery, kMostStamps};
    stamps_ = handle_.api.wgpuDeviceCreateQuerySet(handle_.device, &descriptor);
    ticks_ = std::make_unique<Buffer>(handle_, 8 * kMostStamps, abi::usage::kQueryResolve | abi::usage::kCopySrc);
  }

  void encode_pass(abi::CommandEncoder encoder, std::size_t first, std::size_t end, uint32_t stamp) const {
    const webgpu::Api& api = handle_.api;
    const abi::PassTimestampWrites writes{nullptr, stamps_, 2 * stamp, 2 * stamp + 1};
    const abi::ComputePassDescriptor descriptor{nullptr, view("rung"), stamp != kNoStamp ? &writes : nullptr};
    const abi::ComputePass pass = api.wgpuCommandEncoderBeginComputePass(encoder, &descriptor);
    if (recipe_.sorter != nullptr) encode_lanesort(pass);
    for (std::size_t i = first; i < end; ++i) {
      const Launch& launch = recipe_.launches[i];
      const uint32_t offset = static_cast<uint32_t>(kStride * i);
      const uint64_t rows = (launch.workgroups + kMostInRow - 1) / kMostInRow;
      const uint64_t in_row = rows == 0 ? 0 : (launch.workgroups + rows - 1) / rows;
      api.wgpuComputePassEncoderSetPipeline(pass, program_->pipeline(launch.kernel));
      api.wgpuComputePassEncoderSetBindGroup(pass, 0, groups_[launch.bindings], 0, nullptr);
      api.wgpuComputePassEncoderSetBindGroup(pass, 1, groups_.back(), 1, &offset);
      api.wgpuComputePassEncoderDispatchWorkgroups(pass, static_cast<uint32_t>(in_row), static_cast<uint32_t>(rows), 1);
    }
    api.wgpuComputePassEncoderEnd(pass);
    api.wgpuComputePassEncoderRelease(pass);
  }

  void encode_lanesort(abi::ComputePass pass) const {
    lanesort_webgpu_buffers buffers = LANESORT_WEBGPU_BUFFERS_INIT;
    buffers.count = static_cast<uint32_t>(recipe_.buffers[0] / 4);
    buffers.keys_dst.buffer = buffers_[0]->get();
    buffers.scratch.buffer = buffers_[1]->get();
    if (lanesort_webgpu_encode_pass(recipe_.sorter, pass, &buffers) != LANESORT_OK) throw Error(lanesort_last_error());
  }

  // Submits, and waits for what was timed.
  std::vector<double> seconds_of(abi::CommandEncoder encoder, std::size_t passes) const {
    handle_.api.wgpuCommandEncoderResolveQuerySet(encoder, stamps_, 0, static_cast<uint32_t>(2 * passes),
                                                  ticks_->get(), 0);
    submit(handle_, encoder);
    std::vector<uint64_t> ns(2 * passes);
    read(handle_, *ticks_, *staging_, ns.data(), 8 * ns.size());
    std::vector<double> seconds;
    for (std::size_t i = 0; i < passes; ++i) seconds.push_back(static_cast<double>(ns[2 * i + 1] - ns[2 * i]) * 1e-9);
    return seconds;
  }

  lanesort_webgpu& handle_;
  const Program* program_;  // nullptr: the recipe is lanesort's
  const Recipe recipe_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::unique_ptr<Buffer> input_, staging_, params_, ticks_;
  std::vector<abi::BindGroup> groups_;  // the recipe's, then the parameters'
  abi::QuerySet stamps_ = nullptr;
};

Runner::Runner(lanesort_webgpu& handle) : handle_(handle) {}
Runner::~Runner() = default;

bool Runner::has_clock() const {
  return handle_.api.wgpuDeviceHasFeature(handle_.device, handle_.api.features.timestamp_query) != 0 &&
         std::string_view(handle_.name).find("; software") == std::string_view::npos;
}

void Runner::prepare(const std::string& name, const Recipe& recipe) {
  const std::string wanted = name + " " + std::to_string(recipe.buffers[0]);
  if (prepared_ != nullptr && prepared_for_ == wanted) return;
  prepared_.reset();  // its memory, before more is asked for
  std::unique_ptr<Program>& program = programs_[name];
  if (program == nullptr && recipe.sorter == nullptr) program = std::make_unique<Program>(handle_, recipe);
  prepared_ = std::make_unique<Prepared>(handle_, program.get(), recipe);
  prepared_for_ = wanted;
}

void Runner::forget() {
  prepared_.reset();
  prepared_for_.clear();
}

// An idle device runs slowly until it has had work for more than a tenth of a second.
void Runner::warm_up() {
  constexpr double kCools_s = 0.02, kWarms_s = 0.2;
  if (seconds_now() - idle_since_s_ < kCools_s) return;
  int at_once = 1;
  for (const double begin = seconds_now(); seconds_now() - begin < kWarms_s;) {
    const double batch_begin = seconds_now();
    const abi::CommandEncoder encoder = encoder_of(handle_);
    for (int i = 0; i < at_once; ++i) prepared_->encode(encoder, false);
    submit(handle_, encoder);
    prepared_->settle();
    if (seconds_now() - batch_begin < 0.01) at_once = std::min(2 * at_once, kMostAtOnce);
  }
}

// What the device complained of since the last time.
void Runner::done() {
  idle_since_s_ = seconds_now();
  const std::lock_guard lock(handle_.complaint_mutex);
  if (handle_.complaint.empty()) return;
  const std::string words = std::move(handle_.complaint);
  handle_.complaint.clear();
  throw Error(words);
}

double Runner::sort_on_device(const std::string& name, const Recipe& recipe, std::span<uint32_t> keys) {
  if (keys.empty()) return 0;
  prepare(name, recipe);
  prepared_->write(keys);
  warm_up();
  const double seconds = prepared_->timed();
  prepared_->read_keys(keys);
  done();
  return seconds;
}

double Runner::sort_with_transfers(const std::string& name, const Recipe& recipe, std::span<uint32_t> keys) {
  if (keys.empty()) return 0;
  prepare(name, recipe);
  const double begin = seconds_now();
  prepared_->write(keys);
  const abi::CommandEncoder encoder = encoder_of(handle_);
  prepared_->encode(encoder, false);
  submit(handle_, encoder);
  prepared_->read_keys(keys);
  done();
  return idle_since_s_ - begin;
}

std::map<std::string, double> Runner::seconds_by_kernel() {
  if (!has_clock() || prepared_ == nullptr) return {};
  warm_up();
  return prepared_->by_kernel();
}

double Runner::seconds_of(const Recipe& recipe) {
  if (!has_clock()) return 0;
  prepare("", recipe);
  warm_up();
  double least = prepared_->timed();
  for (int i = 0; i < 5; ++i) least = std::min(least, prepared_->timed());
  return least;
}

}  // namespace lanesort::bench::ladder_webgpu
