// What this adapter and device are, beside what lanesort asks for.
import { leastCapabilities } from "../../src/plan.ts";
import { capabilitiesOf } from "../../src/options.ts";
import { isSoftware, nameOf } from "../gpu.ts";
import type { Gpu } from "../tab.ts";
import { browserFacts } from "../trouble.ts";

export function adapterFacts({ adapter, device }: Gpu): string[][] {
  const { info } = adapter;
  const told = (word: string): string => (word === "" ? "not told" : word);
  return [
    ["adapter", nameOf(adapter)],
    ["vendor, architecture", `${told(info.vendor)}, ${told(info.architecture)}`],
    ["kind", isSoftware(adapter) ? "software: right, and slow" : "hardware, as far as the browser tells"],
    ["subgroups", capabilitiesOf(device, true).whySubgroups],
    ["timestamps", device.features.has("timestamp-query") ? "timestamp-query: times are the GPU’s own" : "none: times are from submit to done"],
    ...browserFacts(),
  ];
}

export const features = ({ adapter }: Gpu): string[] => [...adapter.features].sort();

// Those that decide over a plan, and what a plan needs of each at least.
const needed: [keyof GPUSupportedLimits & string, number, string][] = [
  ["maxStorageBuffersPerShaderStage", 8, "kernels bind eight buffers"],
  ["maxComputeWorkgroupStorageSize", leastCapabilities.workgroupBytes, "more: larger tiles"],
  ["maxComputeInvocationsPerWorkgroup", leastCapabilities.workgroupInvocations, "more: larger tiles"],
  ["maxComputeWorkgroupSizeX", leastCapabilities.workgroupInvocations, "more: larger tiles"],
  ["maxComputeWorkgroupsPerDimension", leastCapabilities.workgroups, "more items in flight"],
  ["maxStorageBufferBindingSize", leastCapabilities.bindingBytes, "bounds the items: 4 or 8 bytes each"],
  ["maxBufferSize", leastCapabilities.bufferBytes, "bounds scratch: about twice the keys"],
  ["minStorageBufferOffsetAlignment", 0, "of offsets into your buffers"],
];
export const limitHead = ["limit", "adapter", "this device", "needed", "what for"];
export const limitRows = ({ adapter, device }: Gpu): string[][] => needed.map(([name, least, why]) => {
  const [most, here] = [adapter.limits[name] as number, device.limits[name] as number];
  const enough = here >= least || name.startsWith("min");
  return [name, most.toLocaleString("en"), here.toLocaleString("en"),
    least === 0 ? "any" : `${least.toLocaleString("en")}${enough ? "" : " (too small)"}`, why];
});
