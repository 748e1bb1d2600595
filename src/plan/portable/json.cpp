#include "plan/portable/json.hpp"

#include <bit>
#include <initializer_list>
#include <iterator>
#include <utility>

namespace lanesort {
inline namespace v1 {
namespace plan {
namespace {

constexpr const char* kOperations[] = {"sort", "sort_pairs", "argsort", "top_k"};
constexpr const char* kKinds[] = {"boolean", "unsigned_integer", "signed_integer", "floating"};
constexpr const char* kNanPlaces[] = {"last", "first", "by_bits"};
constexpr const char* kForms[] = {"tuned", "reduce_then_scan", "single_pass"};
constexpr const char* kRoles[] = {"scratch", "keys_src", "keys_dst", "values_src", "values_dst", "count",
                                    "segment_begins", "segment_ends"};
constexpr const char* kRefusals[] = {"none", "no_shape", "binding_too_large", "scratch_too_large"};

template <class Enum, std::size_t N>
std::string name_of(Enum value, const char* const (&names)[N]) {
  return '"' + std::string(names[static_cast<std::size_t>(value)]) + '"';
}

template <class Number>
std::string text(Number number) {
  return std::to_string(number);
}
std::string text(bool truth) { return truth ? "true" : "false"; }

using Field = std::pair<const char*, std::string>;

std::string object(std::initializer_list<Field> fields) {
  std::string out = "{";
  for (const Field& field : fields) {
    if (out.size() > 1) out += ", ";
    out += '"' + std::string(field.first) + "\": " + field.second;
  }
  return out + "}";
}

// One element a line.
template <class Items, class Text>
std::string lines(const Items& items, std::uint32_t count, const std::string& indent, Text text_of) {
  std::string out = "[";
  for (std::uint32_t i = 0; i < count; ++i) out += (i == 0 ? "\n" : ",\n") + indent + "  " + text_of(items[i]);
  return out + (count == 0 ? "]" : "\n" + indent + "]");
}

std::string request_text(const PortableRequest& r) {
  return object({{"operation", name_of(r.operation, kOperations)},
                 {"kind", name_of(r.kind, kKinds)},
                 {"key_bits", text(r.key_bits)},
                 {"mantissa_bits", text(r.mantissa_bits)},
                 {"descending", text(r.descending)},
                 {"nan", name_of(r.nan, kNanPlaces)},
                 {"bit_begin", text(r.bit_begin)},
                 {"bit_end", text(r.bit_end)},
                 {"value_bytes", text(r.value_bytes)},
                 {"initial_values", text(r.initial_values)},
                 {"keys_in_place", text(r.keys_in_place)},
                 {"values_in_place", text(r.values_in_place)},
                 {"count", text(r.count)},
                 {"segmented", text(r.segmented)},
                 {"segment_count", text(r.segment_count)},
                 {"segment_ends", text(r.segment_ends)},
                 {"local_indices", text(r.local_indices)},
                 {"k", text(r.k)},
                 {"keys_wanted", text(r.keys_wanted)}});
}

std::string capabilities_text(const PortableCapabilities& c) {
  return object({{"subgroups", text(c.subgroups)},
                 {"subgroup_min", text(c.subgroup_min)},
                 {"subgroup_max", text(c.subgroup_max)},
                 {"workgroup_bytes", text(c.workgroup_bytes)},
                 {"workgroup_invocations", text(c.workgroup_invocations)},
                 {"workgroups", text(c.workgroups)},
                 {"binding_bytes", text(c.binding_bytes)},
                 {"buffer_bytes", text(c.buffer_bytes)}});
}

std::string limits_text(const PortableLimits& l) {
  return object({{"workgroup", text(l.workgroup)},
                 {"items", text(l.items)},
                 {"radix_bits", text(l.radix_bits)},
                 {"groups", text(l.groups)},
                 {"no_small", text(l.no_small)},
                 {"no_subgroups", text(l.no_subgroups)},
                 {"form", name_of(l.form, kForms)},
                 {"looks", text(l.looks)},
                 {"withheld", text(l.withheld)}});
}

std::string shape_text(const tune::PortableShape& s) {
  return object({{"workgroup", text(s.workgroup)},
                 {"items", text(s.items)},
                 {"radix_bits", text(s.radix_bits)},
                 {"rows", text(s.rows)},
                 {"subgroup_max", text(s.subgroup_max)}});
}

std::string step_text(const contract::Step& step) {
  constexpr std::size_t kWords = std::size(contract::kStepFields);
  static_assert(sizeof step == 4 * kWords);
  const auto words = std::bit_cast<std::array<std::uint32_t, kWords>>(step);
  std::string out = "{";
  for (std::size_t i = 0; i < kWords; ++i) {
    out += (i == 0 ? "\"" : ", \"") + std::string(contract::kStepFields[i]) + "\": " + text(words[i]);
  }
  return out + "}";
}

std::string dispatch_text(const Dispatch& d) {
  return object({{"kernel", name_of(d.kernel, contract::kKernelNames)},
                 {"step", text(d.step)},
                 {"bindings", text(d.bindings)},
                 {"workgroups", text(d.workgroups)},
                 {"by_args", text(d.by_args)}});
}

std::string slice_text(const Slice& s) {
  return object({{"role", name_of(s.role, kRoles)}, {"offset", text(s.offset)}, {"bytes", text(s.bytes)}});
}

std::string plan_text(const PortablePlan& plan, const std::string& indent) {
  const std::string inner = indent + "  ";
  const auto set_text = [&inner](const BindingSet& set) {
    return lines(set, static_cast<std::uint32_t>(set.size()), inner + "  ", slice_text);
  };
  const Field fields[] = {{"refusal", name_of(plan.refusal, kRefusals)},
                          {"asked", text(plan.asked)},
                          {"limit", text(plan.limit)},
                          {"form", name_of(plan.form, kForms)},
                          {"shape", shape_text(plan.shape)},
                          {"key_words", text(plan.key_words)},
                          {"value_words", text(plan.value_words)},
                          {"scratch_bytes", text(plan.scratch_bytes)},
                          {"sorted_count_offset", text(plan.sorted_count_offset)},
                          {"steps", lines(plan.steps, plan.step_count, inner, step_text)},
                          {"dispatches", lines(plan.dispatches, plan.dispatch_count, inner, dispatch_text)},
                          {"bindings", lines(plan.bindings, plan.binding_count, inner, set_text)}};
  return lines(fields, static_cast<std::uint32_t>(std::size(fields)), indent,
               [](const Field& field) { return '"' + std::string(field.first) + "\": " + field.second; });
}

}  // namespace

std::string portable_plan_json(const PortableRequest& request, const PortableCapabilities& capabilities,
                               const PortableLimits& limits, const std::string& indent) {
  const PortablePlan plan = plan_portable_sort(request, capabilities, limits);
  std::string body = plan_text(plan, indent + "  ");
  body.front() = '{';
  body.back() = '}';
  const std::string line = ",\n" + indent + "  ";
  return "{\n" + indent + "  \"request\": " + request_text(request) + line +
         "\"capabilities\": " + capabilities_text(capabilities) + line + "\"limits\": " + limits_text(limits) + line +
         "\"plan\": " + body + "\n" + indent + "}";
}

}  // namespace plan
}  // namespace v1
}  // namespace lanesort
