// What to ask requestDevice for, so that a sort runs as well as the adapter allows.

import { leastCapabilities, type Plan } from "./plan.js";
import { capabilitiesOf, limitsOf, planFor, requestOf, type SortOptions } from "./options.js";
import { segmentsBytesOf, sharedBytesOf, singlePassBytesOf } from "./shapes.js";

export interface Requirements {
  /** For GPUDeviceDescriptor.requiredFeatures, besides your own. */
  features: GPUFeatureName[];
  /** For GPUDeviceDescriptor.requiredLimits; where you ask for the same limit, the higher number is right. */
  limits: Record<string, number>;
  /** A sentence for each of them, and for what was left out. */
  why: string[];
}

export interface QueryOptions extends SortOptions {
  /** Ask for timestamps too. */
  timings?: boolean;
}

function bytesOfBuffers(plan: Plan): number {
  return Math.max(plan.scratchBytes, ...plan.bindings.flat().map((slice) => slice.bytes));
}

/** Features and limits that `Sorter.create` with the same options can use. Throws a LanesortError where the adapter
 * itself is too small for maxCount. */
export function query(adapter: GPUAdapter, options: QueryOptions): Requirements {
  const request = requestOf(options);
  const known = capabilitiesOf(adapter, options.subgroups ?? true);
  const plan = planFor(adapter, request, known, limitsOf(options));
  const result: Requirements = { features: [], limits: {}, why: [known.whySubgroups.replace("enabled on this device", "there on this adapter")] };
  if (known.capabilities.subgroups) result.features.push("subgroups");
  if (options.timings === true) {
    const there = adapter.features.has("timestamp-query");
    if (there) result.features.push("timestamp-query");
    result.why.push(there ? "timestamp-query for timings" : "no timings: the adapter has no timestamp-query");
  }
  const ask = (name: string, needed: number, byDefault: number, reason: string): void => {
    if (needed <= byDefault) return;
    result.limits[name] = needed;
    result.why.push(`${name} ${needed}: ${reason}`);
  };
  const largest = Math.max(0, ...plan.bindings.flat().map((slice) => slice.bytes));
  const workgroupBytes = (request.segmented ? segmentsBytesOf : plan.form === "single_pass" ? singlePassBytesOf : sharedBytesOf)(plan.shape);
  ask("maxComputeWorkgroupStorageSize", workgroupBytes, leastCapabilities.workgroupBytes, "larger tiles");
  for (const name of ["maxComputeInvocationsPerWorkgroup", "maxComputeWorkgroupSizeX"])
    ask(name, plan.shape.workgroup, leastCapabilities.workgroupInvocations, "few items by one workgroup");
  ask("maxStorageBufferBindingSize", largest, leastCapabilities.bindingBytes, `${request.count} items in one binding`);
  ask("maxBufferSize", bytesOfBuffers(plan), leastCapabilities.bufferBytes, `${request.count} items and their scratch`);
  return result;
}
