// Typed arrays in, sorted ones out, for those who have no GPU objects of their own.

import { usage } from "./buffers.js";
import { argsortOnCpu } from "./cpu.js";
import { LanesortError, refuse } from "./errors.js";
import { requestOf, type Dtype, type FloatOrder } from "./options.js";
import type { Limits } from "./plan.js";
import { Sorter, type SorterOptions } from "./sorter.js";

export interface ArrayOptions {
  /** Default: false. */
  descending?: boolean;
  /** Float arrays alone. Default: numeric, NaN after all numbers. */
  floatOrder?: FloatOrder;
  /** The device to use. Default: one of our own, kept for later calls. */
  device?: GPUDevice;
  /** cpu or gpu: nothing else will do. Default: the GPU where there is one that holds the array, else the CPU. */
  backend?: "auto" | "cpu" | "gpu";
  /** @internal */
  limits?: Partial<Limits>;
}

export type NumberArray = Int8Array | Uint8Array | Uint8ClampedArray | Int16Array | Uint16Array | Int32Array | Uint32Array | BigInt64Array |
  BigUint64Array | Float32Array | Float64Array;

// By the name that an array tells of itself, so that arrays of another realm and Float16Array, which not every engine has, are known.
const dtypeOfArray: Record<string, Dtype> = {
  Int8Array: "i8", Uint8Array: "u8", Uint8ClampedArray: "u8", Int16Array: "i16", Uint16Array: "u16", Int32Array: "i32", Uint32Array: "u32",
  BigInt64Array: "i64", BigUint64Array: "u64", Float16Array: "f16", Float32Array: "f32", Float64Array: "f64",
};

function optionsOf(array: NumberArray, options: ArrayOptions, operation: "sort" | "argsort" | "topK"): SorterOptions {
  const name = ArrayBuffer.isView(array) ? (array as NumberArray)[Symbol.toStringTag] : typeof array;
  const dtype = dtypeOfArray[name];
  if (dtype === undefined) refuse({ cause: "array", value: name, remedy: `give one of ${Object.keys(dtypeOfArray).join(", ")}` });
  if (!["auto", "cpu", "gpu", undefined].includes(options.backend)) refuse({ cause: "options.backend", value: options.backend, remedy: "give auto, cpu or gpu" });
  const { descending = false, floatOrder = "numeric", limits = {} } = options;
  return { operation, dtype, maxCount: array.length, descending, floatOrder, limits };
}

let ownDevice: Promise<GPUDevice | undefined> | undefined;

async function requestOwnDevice(): Promise<GPUDevice | undefined> {
  const gpu = (globalThis.navigator as Navigator | undefined)?.gpu;
  const adapter = await gpu?.requestAdapter();
  if (adapter == null) return undefined;
  const { maxBufferSize, maxStorageBufferBindingSize, maxComputeWorkgroupStorageSize } = adapter.limits;
  const device = await adapter.requestDevice({
    label: "lanesort",
    requiredFeatures: adapter.features.has("subgroups") ? ["subgroups" as GPUFeatureName] : [],
    requiredLimits: { maxBufferSize, maxStorageBufferBindingSize, maxComputeWorkgroupStorageSize },
  });
  void device.lost.then(() => (ownDevice = undefined));
  return device;
}

// The GPU's part: what `encode` wants to know, read back as bytes. Of a topK the indices: the keys are the array's.
async function runOnGpu(device: GPUDevice, array: NumberArray, options: SorterOptions): Promise<ArrayBuffer> {
  const sorter = await Sorter.create(device, options);
  const keyBytes = Math.ceil(array.byteLength / 4) * 4;
  const resultBytes = options.operation === "sort" ? keyBytes : 4 * Math.min(options.k ?? Infinity, array.length);
  const make = (size: number, flags: number): GPUBuffer => device.createBuffer({ label: "lanesort array", size, usage: flags });
  const keys = make(keyBytes, usage.storage | usage.copyDst | usage.copySrc);
  const indices = options.operation !== "sort" ? make(resultBytes, usage.storage | usage.copySrc) : undefined;
  const result = make(resultBytes, usage.mapRead | usage.copyDst);
  try {
    const bytes = new Uint8Array(keyBytes);
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    device.queue.writeBuffer(keys, 0, bytes);
    const encoder = device.createCommandEncoder();
    sorter.encode(encoder, indices === undefined ? { keys } : { keys, valuesOut: indices });
    encoder.copyBufferToBuffer(indices ?? keys, 0, result, 0, resultBytes);
    device.queue.submit([encoder.finish()]);
    await result.mapAsync(usage.mapRead);
    return result.getMappedRange().slice(0);
  } finally {
    sorter.destroy();
    for (const buffer of [keys, indices, result]) buffer?.destroy();
  }
}

// The bytes of the result, or nothing where the CPU is to make it.
async function tryGpu(array: NumberArray, options: ArrayOptions, sortOptions: SorterOptions): Promise<ArrayBuffer | undefined> {
  if (options.backend === "cpu" || array.length === 0 || sortOptions.k === 0) return undefined;
  const device = options.device ?? (await (ownDevice ??= requestOwnDevice()));
  const must = options.backend === "gpu";
  if (device === undefined) {
    ownDevice = undefined;  // there may be one later
    return must ? refuse({ cause: "no GPU: navigator.gpu gave no adapter", remedy: 'leave backend out or give "cpu"' }) : undefined;
  }
  try {
    return await runOnGpu(device, array, sortOptions);
  } catch (error) {
    if (must || !(error instanceof LanesortError)) throw error;
    return undefined;
  }
}

/** The array's elements in order, as a new array of its type; the array stays as it is. Stable: -0 and 0 are equal and
 * keep their order, NaN stand after all numbers. */
export async function sortTypedArray<T extends NumberArray>(array: T, options: ArrayOptions = {}): Promise<T> {
  const sortOptions = optionsOf(array, options, "sort");
  const sorted = array.slice() as T;
  const bytes = await tryGpu(array, options, sortOptions);
  if (bytes !== undefined) {
    new Uint8Array(sorted.buffer, sorted.byteOffset, sorted.byteLength).set(new Uint8Array(bytes, 0, sorted.byteLength));
    return sorted;
  }
  copyInOrder(array, sorted, argsortOnCpu(array, requestOf(sortOptions)));
  return sorted;
}

// By bytes: a number that goes through JavaScript may lose a NaN's payload.
function copyInOrder(from: NumberArray, to: NumberArray, order: Uint32Array): void {
  const width = from.BYTES_PER_ELEMENT;
  const source = new Uint8Array(from.buffer, from.byteOffset, from.byteLength);
  const target = new Uint8Array(to.buffer, to.byteOffset, to.byteLength);
  order.forEach((index, i) => {
    for (let byte = 0; byte < width; ++byte) target[i * width + byte] = source[index * width + byte]!;
  });
}

/** The indices that put the array in order; equal elements in rising order of place. */
export async function argsortTypedArray(array: NumberArray, options: ArrayOptions = {}): Promise<Uint32Array> {
  const sortOptions = optionsOf(array, options, "argsort");
  const bytes = await tryGpu(array, options, sortOptions);
  return bytes === undefined ? argsortOnCpu(array, requestOf(sortOptions)) : new Uint32Array(bytes);
}

/** The first k of what sortTypedArray and argsortTypedArray would give: the smallest, or with `descending` the largest. */
export async function topKTypedArray<T extends NumberArray>(array: T, k: number, options: ArrayOptions = {}): Promise<{ keys: T; indices: Uint32Array }> {
  const sortOptions = { ...optionsOf(array, options, "topK"), k, keysWanted: false };
  const request = requestOf(sortOptions);
  const bytes = await tryGpu(array, options, sortOptions);
  const indices = bytes === undefined ? argsortOnCpu(array, request).slice(0, k) : new Uint32Array(bytes);
  const keys = array.slice(0, indices.length) as T;
  copyInOrder(array, keys, indices);
  return { keys, indices };
}
