// What encode does besides sorting: records and nothing else, refuses in words, takes times, explains.
import { argsortTypedArray, LanesortError, query, Sorter, sortTypedArray, topKTypedArray, type SortBuffers, type SorterOptions } from "../../src/index.ts";
import { kernelNames } from "../../src/contract.ts";
import type { Shape } from "../../src/shapes.ts";
import { kernelText } from "../../src/text.ts";
import type { Check } from "../checks.ts";
import { equal } from "../equal.ts";
import { openDevice } from "../gpu.ts";
import { download, upload } from "./trial.ts";

const limits = { workgroup: 32, items: 2, radixBits: 4, groups: 3 };
const options: SorterOptions = { dtype: "u32", operation: "sortPairs", maxCount: 500, limits, subgroups: false };

/** A face of `object` on which each call is noted by its name, and which hands out faces of what it holds. */
function spied<T extends object>(object: T, calls: string[]): T {
  return new Proxy(object, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value === "function") {
        return (...given: unknown[]) => {
          calls.push(String(name));
          return (value as (...given: unknown[]) => unknown).apply(target, given);
        };
      }
      return name === "queue" ? spied(value as object, calls) : value;
    },
  });
}

async function refusal(work: () => unknown): Promise<LanesortError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof LanesortError) return error;
    throw new Error(`not a LanesortError: ${String(error)}`);
  }
  throw new Error("nothing was refused");
}

async function refused(words: RegExp, work: () => unknown): Promise<void> {
  const error = await refusal(work);
  if (!words.test(error.message)) throw new Error(`expected ${words}, got: ${error.message}`);
  if (error.remedy === "" || error.cause === "") throw new Error(`an error without a remedy: ${error.message}`);
}

const encodesOnly: Check = async (gpu) => {
  const device = await openDevice(gpu);
  const calls: string[] = [];
  const sorter = await Sorter.create(spied(device, calls), options);
  if (!calls.includes("createBuffer")) throw new Error("the spy does not see createBuffer");
  const keys = upload(device, new Uint8Array(2000));
  const values = upload(device, new Uint8Array(2000));
  const countBuffer = upload(device, new Uint8Array(Uint32Array.of(7).buffer));
  calls.length = 0;
  const encoder = spied(device.createCommandEncoder(), calls);
  for (let time = 0; time < 3; ++time) {
    sorter.encode(encoder, { keys, values, countBuffer });
    sorter.encode(encoder, { keys, values, count: 100 + time });
  }
  const allowed = ["createBindGroup", "writeBuffer", "beginComputePass"];
  const others = calls.filter((call) => !allowed.includes(call));
  if (others.length > 0) throw new Error(`encode also calls ${others.join(", ")}`);
  const count = (name: string): number => calls.filter((call) => call === name).length;
  equal([count("createBindGroup"), count("beginComputePass")], [4, 6], "bind groups of two kinds of counts, passes");
  device.destroy();
};

const refusesOptions: Check = async (gpu) => {
  const device = await openDevice(gpu);
  const create = (wrong: object) => () => Sorter.create(device, { ...options, ...wrong } as SorterOptions);
  await refused(/dtype.*u128.*u64/, create({ dtype: "u128" }));
  await refused(/operation.*merge.*sortPairs/, create({ operation: "merge" }));
  await refused(/maxCount.*-1/, create({ maxCount: -1 }));
  await refused(/maxCount.*1\.5/, create({ maxCount: 1.5 }));
  await refused(/maxCount/, create({ maxCount: undefined }));
  await refused(/valueBytes of sortPairs.*3.*4 or 8 or 16/, create({ valueBytes: 3 }));
  await refused(/valueBytes of sort /, create({ operation: "sort", valueBytes: 4 }));
  await refused(/valueBytes of argsort/, create({ operation: "argsort", valueBytes: 16 }));
  await refused(/bitEnd.*33.*32/, create({ bitEnd: 33 }));
  await refused(/bitEnd.*from 8/, create({ bitBegin: 8, bitEnd: 7 }));
  await refused(/floatOrder.*nan.*nanFirst/, create({ floatOrder: "nan" }));
  await refused(/initialValues/, create({ initialValues: true }));
  await refused(/options\.k .*whole number from 0/, create({ operation: "topK" }));
  await refused(/options\.k of sortPairs/, create({ k: 5 }));
  await refused(/valueBytes of topK.*16.*0 or 4 or 8/, create({ operation: "topK", k: 5, valueBytes: 16 }));
  await refused(/keysWanted of topK/, create({ operation: "topK", k: 5, valueBytes: 0, keysWanted: false }));
  await refused(/slots.*0/, create({ slots: 0 }));
  await refused(/bytes of one buffer binding.*maxStorageBufferBindingSize/, create({ maxCount: 0xffffffff }));
  await refused(/holds no kernel/, create({ limits: { workgroup: 4096 } }));
  device.destroy();
};

const refusesBuffers: Check = async (gpu) => {
  const device = await openDevice(gpu);
  const sorter = await Sorter.create(device, options);
  const external = await Sorter.create(device, { ...options, operation: "sort", inPlace: false, scratch: "external" });
  const argsort = await Sorter.create(device, { ...options, operation: "argsort" });
  const make = (size: number, usage = GPUBufferUsage.STORAGE): GPUBuffer => device.createBuffer({ size, usage });
  const keys = make(4096);
  const values = make(2000);
  const encode = (buffers: object, one = sorter) => () => one.encode(device.createCommandEncoder(), buffers as SortBuffers);
  await refused(/values is missing/, encode({ keys }));
  await refused(/keysOut: not a buffer of this sorter.*keys, values/, encode({ keys, values, keysOut: keys }));
  await refused(/values: bytes.*1600.*2000/, encode({ keys, values: make(1600) }));
  await refused(/keys: offset.*4.*multiple of/, encode({ keys: { buffer: keys, offset: 4 }, values }));
  await refused(/keys: offset.*8192.*inside/, encode({ keys: { buffer: keys, offset: 8192 }, values }));
  await refused(/keys: size.*5000/, encode({ keys: { buffer: keys, size: 5000 }, values }));
  await refused(/keys: usage.*STORAGE/, encode({ keys: make(2000, GPUBufferUsage.COPY_DST), values }));
  await refused(/keys.*GPUBuffer/, encode({ keys: new Uint32Array(500), values }));
  await refused(/keys and values overlap from byte/, encode({ keys, values: { buffer: keys, offset: 1792 } }));
  await refused(/count.*501.*500/, encode({ keys, values, count: 501 }));
  await refused(/count.*0\.5/, encode({ keys, values, count: 0.5 }));
  await refused(/count or countBuffer/, encode({ keys, values, count: 1, countBuffer: make(4) }));
  await refused(/countBuffer: offset.*2.*4/, encode({ keys, values, countBuffer: { buffer: make(8), offset: 2 } }));
  await refused(/countBuffer: bytes/, encode({ keys, values, countBuffer: { buffer: make(8), offset: 8 } }));
  await refused(/countBuffer overlap/, encode({ keys: { buffer: keys, size: 2000 }, values, countBuffer: { buffer: keys, offset: 2000 } }));
  await refused(/args: usage.*INDIRECT/, encode({ keys, values, args: make(12) }));
  await refused(/args: bytes.*12/, encode({ keys, values, args: make(8, GPUBufferUsage.INDIRECT) }));
  await refused(/scratch: the sorter has its own/, encode({ keys, values, scratch: make(1e6) }));
  await refused(/scratch is missing.*bytes/, encode({ keys, keysOut: make(2000) }, external));
  await refused(/scratch: bytes.*256/, encode({ keys, keysOut: make(2000), scratch: make(256) }, external));
  await refused(/keysOut is missing/, encode({ keys, scratch: make(1e6) }, external));
  await refused(/valuesOut is missing/, encode({ keys }, argsort));
  await refused(/values: not a buffer/, encode({ keys, values, valuesOut: make(2000) }, argsort));
  sorter.destroy();
  await refused(/destroyed/, encode({ keys, values }));
  device.destroy();
  await device.lost;
  await refused(/lost/, encode({ keys, valuesOut: values }, argsort));
  await refused(/lost/, () => Sorter.create(device, options));
};

const takesTimes: Check = async (gpu) => {
  const device = await openDevice(gpu);
  if (!device.features.has("timestamp-query")) throw new Error("this host's device has no timestamps");
  const sorter = await Sorter.create(device, { ...options, timings: true });
  const keys = upload(device, new Uint8Array(Uint32Array.from({ length: 500 }, (_, i) => 499 - i).buffer));
  const values = upload(device, new Uint8Array(2000));
  const encoder = device.createCommandEncoder();
  sorter.encode(encoder, { keys, values });
  device.queue.submit([encoder.finish()]);
  const times = await sorter.timings();
  const kernels = times.map(({ kernel, pass }) => `${kernel} ${pass}`);
  const passes = Array.from({ length: 8 }, (_, pass) => [`count ${pass}`, `scan ${pass}`, `scatter ${pass}`]).flat();
  if (kernels.join() !== ["begin 0", ...passes, "finish 0"].join()) throw new Error(`times of ${kernels.join(", ")}`);
  if (!times.every(({ nanoseconds }) => nanoseconds >= 0)) throw new Error(`times ${JSON.stringify(times)}`);
  const [sorted] = await download(device, [keys]);
  equal(new Uint32Array(sorted!.buffer), Uint32Array.from({ length: 500 }, (_, i) => i), "keys");
  device.destroy();
};

// The slots of a ring too small would be written over before the first of three encodings in flight has read its own.
const keepsSlots: Check = async (gpu) => {
  const device = await openDevice(gpu);
  const sorter = await Sorter.create(device, { ...options, operation: "sort", slots: 3 });
  const falling = Uint32Array.from({ length: 500 }, (_, i) => 500 - i);
  const buffers = [10, 200, 500].map((count) => ({ count, keys: upload(device, new Uint8Array(falling.buffer)) }));
  for (let round = 0; round < 2; ++round) {
    const encoder = device.createCommandEncoder();
    for (const one of buffers) sorter.encode(encoder, one);
    device.queue.submit([encoder.finish()]);
  }
  const results = await download(device, buffers.map(({ keys }) => keys));
  buffers.forEach(({ count }, i) => {
    const expected = falling.slice();
    expected.subarray(0, count).sort();
    equal(new Uint32Array(results[i]!.buffer), expected, `keys of ${count}`);
  });
  device.destroy();
};

// The caller's own shader writes the arguments, for a count that it wrote too.
const writesArgs: Check = async (gpu) => {
  const device = await openDevice(gpu);
  const sorter = await Sorter.create(device, { ...options, operation: "sort" });
  const code = `${sorter.writeArgsWgsl}
    @group(0) @binding(0) var<storage, read_write> told: array<u32>;
    @compute @workgroup_size(1) fn main() {
      const counts = array<u32, 6>(0u, 1u, 64u, 65u, 150u, 0xffffffffu);
      for (var i = 0u; i < 6u; i++) { told[i] = lanesort_write_args(counts[i]).x; }
    }`;
  const pipeline = await device.createComputePipelineAsync({ layout: "auto", compute: { module: device.createShaderModule({ code }), entryPoint: "main" } });
  const told = upload(device, new Uint8Array(24));
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: { buffer: told } }] }));
  pass.dispatchWorkgroups(1);
  pass.end();
  device.queue.submit([encoder.finish()]);
  const [bytes] = await download(device, [told]);
  equal(new Uint32Array(bytes!.buffer), [1, 1, 1, 2, 3, 3], "workgroups");
  device.destroy();
};

const asksAdapter: Check = async (gpu) => {
  const adapter = await gpu.requestAdapter();
  const { features, limits: asked, why } = query(adapter!, { dtype: "u32", operation: "sortPairs", maxCount: 1 << 20, timings: true });
  if (!features.includes("timestamp-query" as GPUFeatureName) || why.length === 0) throw new Error(`${features.join()}; ${why.join("; ")}`);
  const device = await adapter!.requestDevice({ requiredFeatures: features, requiredLimits: asked });
  device.destroy();
  await refused(/maxCount/, async () => query((await gpu.requestAdapter())!, { dtype: "u64", maxCount: 0xffffffff }));
};

const sortsArrays: Check = async (gpu) => {
  const device = await openDevice(gpu);
  const bits = (array: Float32Array | Float64Array): Uint8Array => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  const floats = Float32Array.from({ length: 301 }, (_, i) => [NaN, -0, 0, Infinity, -Infinity, -i, i, 1 / i][i % 8]!);
  const both = [{ backend: "cpu" }, { backend: "gpu", device, limits }] as const;
  for (const descending of [false, true]) {
    const [cpu, onGpu] = await Promise.all(both.map((one) => sortTypedArray(floats, { ...one, descending })));
    equal(bits(onGpu!), bits(cpu!), "floats");
    const numbers = Array.from(cpu!).filter((x) => !Number.isNaN(x));
    const expected = Array.from(floats).filter((x) => !Number.isNaN(x)).sort((a, b) => (descending ? b - a : a - b));
    equal(numbers, expected, "numbers, -0 and 0 as they came");
    if (!Array.from(cpu!).slice(numbers.length).every(Number.isNaN)) throw new Error("NaN do not stand last");
  }
  const arrays = [Uint8Array.of(3, 1, 2, 255, 0), Int16Array.of(5, -7, 300, -300, 0, 0, 2), BigInt64Array.of(5n, -1n, -(2n ** 63n), 9n), Uint8Array.of(), Float64Array.of(2, NaN, -1)];
  for (const array of arrays) {
    const whole = array.slice();
    for (const one of both) {
      if (array.length === 0 && one.backend === "gpu") continue;
      const expected = (array.slice() as Uint8Array).sort();
      equal((await sortTypedArray(array as Uint8Array, one)) as ArrayLike<number>, expected, array[Symbol.toStringTag]);
      const indices = await argsortTypedArray(array, one);
      equal(Array.from(indices, (i) => array[i]!), expected, `argsort of ${array[Symbol.toStringTag]}`);
      const first = await topKTypedArray(array, 3, one);
      equal(first.indices, indices.slice(0, 3), `the first of ${array[Symbol.toStringTag]}`);
      equal(first.keys as ArrayLike<number>, expected.slice(0, 3), "their keys");
      equal(array, whole, "the source");
    }
  }
  const part = new Uint16Array(Uint16Array.of(9, 8, 7, 6, 5).buffer, 2, 3);
  for (const one of both) equal(await sortTypedArray(part, one), [6, 7, 8], "a part of a buffer");
  await refused(/array.*DataView/, () => sortTypedArray(new DataView(new ArrayBuffer(4)) as unknown as Uint8Array));
  device.destroy();
};

// Sizes that a host's own subgroups never have are compiled here too.
const compilesTexts = (subgroups: readonly number[], widths: readonly number[]): Check => async (gpu) => {
  const device = await openDevice(gpu);
  const shape = { workgroup: 128, items: 8, radixBits: 8, rows: 0, subgroupMax: 0 };
  const shapes: Shape[] = [shape, { ...shape, items: 15, radixBits: 4 }];
  if (device.features.has("subgroups")) for (const subgroupMax of subgroups) shapes.push({ ...shape, radixBits: 4, rows: 128 / subgroupMax, subgroupMax });
  for (const one of shapes) {
    for (const keyWords of [1, 2]) {
      for (const valueWords of widths) {
        for (const kernel of kernelNames) {
          const module = device.createShaderModule({ code: kernelText(kernel, { shape: one, keyWords, valueWords }) });
          const { messages } = await module.getCompilationInfo();
          const first = messages[0];
          if (first !== undefined) throw new Error(`${kernel}, ${JSON.stringify({ ...one, keyWords, valueWords })}: line ${first.lineNum}: ${first.message}`);
        }
      }
    }
  }
  device.destroy();
};

export const encodingChecks: Record<string, Check> = {
  "encode neither maps, submits nor creates buffers": encodesOnly,
  "texts of few variants compile without a warning": compilesTexts([32], [1]),
  "options that are refused in words": refusesOptions,
  "buffers that are refused in words": refusesBuffers,
  "times of every kernel": takesTimes,
  "as many encodings in flight as there are slots": keepsSlots,
  "arguments written by the caller's shader": writesArgs,
  "what to ask an adapter for": asksAdapter,
  "typed arrays, on the CPU and on the GPU": sortsArrays,
};

/** A compiler's, whatever the driver. */
export const textChecks: Record<string, Check> = {
  "texts of every variant compile without a warning": compilesTexts([4, 16, 32, 128], [0, 1, 2, 4]),
};
