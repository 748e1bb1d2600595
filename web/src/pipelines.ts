// Layouts and pipelines, one set a device: sorters of the same shape share them.

import { binding, uniform, type Kernel } from "./contract.js";
import { LanesortError } from "./errors.js";
import { kernelText, type Variant } from "./text.js";

export interface Layouts {
  buffers: GPUBindGroupLayout;   // group 0: eight storage buffers, by the contract's numbers
  uniforms: GPUBindGroupLayout;  // group 1: step and request, both with a dynamic offset
  pipeline: GPUPipelineLayout;
}

interface Shared {
  layouts: Layouts;
  pipelines: Map<string, Promise<GPUComputePipeline>>;
}

const devices = new WeakMap<GPUDevice, Shared>();
const computeStage = 0x4;  // GPUShaderStage.COMPUTE, which is no global where only types were loaded

function makeLayouts(device: GPUDevice): Layouts {
  const entry = (number: number, buffer: GPUBufferBindingLayout): GPUBindGroupLayoutEntry => ({ binding: number, visibility: computeStage, buffer });
  const buffers = device.createBindGroupLayout({
    label: "lanesort buffers",
    entries: Object.values(binding).map((number) => entry(number, { type: "storage" })),
  });
  const uniforms = device.createBindGroupLayout({
    label: "lanesort uniforms",
    entries: Object.values(uniform).map((number) => entry(number, { type: "uniform", hasDynamicOffset: true })),
  });
  return { buffers, uniforms, pipeline: device.createPipelineLayout({ label: "lanesort", bindGroupLayouts: [buffers, uniforms] }) };
}

function sharedOf(device: GPUDevice): Shared {
  let shared = devices.get(device);
  if (shared === undefined) {
    shared = { layouts: makeLayouts(device), pipelines: new Map() };
    devices.set(device, shared);
  }
  return shared;
}

export const layoutsOf = (device: GPUDevice): Layouts => sharedOf(device).layouts;

export async function pipelineOf(device: GPUDevice, kernel: Kernel, variant: Variant): Promise<GPUComputePipeline> {
  const { layouts, pipelines } = sharedOf(device);
  const code = kernelText(kernel, variant);
  const label = `lanesort ${kernel}`;
  let pipeline = pipelines.get(code);
  if (pipeline === undefined) {
    const module = device.createShaderModule({ label, code });
    pipeline = device.createComputePipelineAsync({ label, layout: layouts.pipeline, compute: { module, entryPoint: kernel } });
    pipelines.set(code, pipeline);
  }
  try {
    return await pipeline;
  } catch (error) {
    pipelines.delete(code);
    const words = error instanceof Error ? error.message : String(error);
    throw new LanesortError({ cause: `the device refused kernel ${kernel}: ${words}`, remedy: "try subgroups: false, and report the text" });
  }
}
