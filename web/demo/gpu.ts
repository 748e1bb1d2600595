// The adapter and the device of the page, or what stands in their way, in words.
import { LanesortError, query, type QueryOptions } from "../src/index.ts";
import type { Gpu } from "./tab.ts";

/** Why there is no device: what is so, why, and what helps. */
export interface Trouble {
  title: string;
  cause: string;
  remedies: string[];
  /** Label of a button for another attempt, where one may succeed. */
  again?: string;
}

export type Opening = { gpu: Gpu } | { trouble: Trouble };

// Sorts that the page runs on any device, each of so many items at least.
const least = 2 ** 20;
const sorts: QueryOptions[] = [
  { dtype: "u64", operation: "sortPairs", maxCount: least },
  { dtype: "f32", operation: "argsort", maxCount: least },
  { dtype: "u32", form: "singlePass", maxCount: least },
];

// What these ask for, and buffers as large as the adapter allows: splats and files may need them. Throws where the adapter
// is too small.
function requirements(adapter: GPUAdapter): { features: Set<GPUFeatureName>; limits: Record<string, number> } {
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
  const asked = sorts.map((sort) => query(adapter, { ...sort, inPlace: false, timings: true }));
  const limits: Record<string, number> = {};
  for (const [name, value] of asked.flatMap((one) => Object.entries(one.limits))) limits[name] = Math.max(value,
    limits[name] ?? 0);
  return { features: new Set(asked.flatMap((one) => one.features)),
    limits: { ...limits, maxBufferSize, maxStorageBufferBindingSize } };
}

const noWebGpu = (): Trouble => globalThis.isSecureContext === false
  ? {
      title: "WebGPU is switched off on this address",
      cause: "Browsers offer WebGPU to secure pages only, and this page did not come by https or from localhost.",
      remedies: ["Open it by https, or from localhost."],
    }
  : {
      title: "This browser has no WebGPU",
      cause: "navigator.gpu is missing, so there is nothing that lanesort could run on here.",
      remedies: [
        "Use Chrome or Edge 113 or newer, Safari 26 or newer, or Firefox 141 or newer, on a system for which they offer WebGPU.",
        "Chrome on Linux: open chrome://flags, set “Unsafe WebGPU Support” and “Vulkan” to Enabled, and start it anew.",
        "Firefox: open about:config and set dom.webgpu.enabled to true.",
      ],
    };

const noAdapter = (said = ""): Trouble => ({
  title: "The browser found no GPU adapter",
  cause: `It offers WebGPU, but navigator.gpu.requestAdapter() gave none${said === "" ? "." : `: ${said}`}`,
  remedies: [
    "Switch on hardware acceleration in the browser’s settings, and start it anew.",
    "Update the GPU’s driver: browsers keep a list of drivers that they do not trust.",
    "Chrome and Edge say at chrome://gpu what they found and why they refused it; Firefox says it at about:support.",
  ],
  again: "Try again",
});

const tooSmall = (error: LanesortError): Trouble => ({
  title: "This GPU’s limits are too small for lanesort",
  cause: [
    `Too small: ${error.cause}.`,
    error.value === undefined ? "" : `Needed: ${String(error.value)}.`,
    error.limit === undefined ? "" : `This adapter’s limit: ${String(error.limit)}.`,
  ].filter((part) => part !== "").join(" "),
  remedies: [
    "Open the page on another GPU, or in another browser: browsers differ in the limits that they pass on.",
    "A browser in compatibility mode offers less: switch it off.",
  ],
  again: "Try again",
});

const noDevice = (error: unknown): Trouble => ({
  title: "The GPU gave no device",
  cause: `requestDevice failed: ${error instanceof Error ? error.message : String(error)}`,
  remedies: ["Try again: a GPU that was reset takes a moment.", "Close other pages that use the GPU.",
    "Update the GPU’s driver."],
  again: "Try again",
});

export const deviceLost = (info: GPUDeviceLostInfo): Trouble => ({
  title: "The GPU device was lost",
  cause: `The browser said: ${info.message === "" ? "nothing more" : info.message.replace(/\.$/, "")} (reason: ${info.reason ?? "unknown"}).`,
  remedies: ["Open a new device: the tab starts anew on it.",
    "If it happens again, close other pages that use the GPU, or update its driver."],
  again: "Open a new device",
});

export async function openGpu(): Promise<Opening> {
  const gpu = (navigator as Navigator & { gpu?: GPU }).gpu;
  if (gpu === undefined) return { trouble: noWebGpu() };
  let adapter: GPUAdapter | null;
  try {
    adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
  } catch (error) {
    return { trouble: noAdapter(error instanceof Error ? error.message : String(error)) };
  }
  if (adapter === null) return { trouble: noAdapter() };
  try {
    const { features, limits } = requirements(adapter);
    return { gpu: { adapter,
      device: await adapter.requestDevice({ label: "lanesort page", requiredFeatures: [...features],
      requiredLimits: limits }) } };
  } catch (error) {
    return { trouble: error instanceof LanesortError ? tooSmall(error) : noDevice(error) };
  }
}

/** A driver that runs on the CPU: good for proofs, none of its times says anything about a GPU. */
export function isSoftware({ info }: GPUAdapter): boolean {
  const words = `${info.vendor} ${info.architecture} ${info.device} ${info.description}`;
  return info.isFallbackAdapter || /swiftshader|llvmpipe|lavapipe|softpipe|basic render/i.test(words);
}

export function nameOf({ info }: GPUAdapter): string {
  const named = info.description !== "" ? info.description : [info.vendor, info.architecture,
    info.device].filter((word) => word !== "").join(" ");
  return named === "" ? "a GPU that does not say its name" : named;
}
