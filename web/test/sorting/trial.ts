// One sort on a device, compared with what the oracle says: results, source, canaries behind the count, sorted count.
import { Sorter, type SortBuffers, type SorterOptions } from "../../src/index.ts";
import { equal } from "../equal.ts";
import { bitsOf, expectedOrder, expectedSortedCount, permuted, type Order } from "./oracle.ts";
import { keysOf, randomOf, type Pattern } from "./patterns.ts";

export interface Trial {
  options: SorterOptions;
  count: number;
  pattern: Pattern;
  seed: number;
  /** Where the count and the dispatch arguments stand on the device; `told` is the count that the buffer says. */
  onDevice?: { told: number; args?: number };
  intoPass?: boolean;
  times?: number;
}

const canary = 0xa5;
const copyBoth = (): number => GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
const padded = (bytes: number): number => Math.max(16, Math.ceil(bytes / 4) * 4);

export function upload(device: GPUDevice, bytes: Uint8Array, usage = copyBoth()): GPUBuffer {
  const buffer = device.createBuffer({ size: padded(bytes.length), usage, mappedAtCreation: true });
  const mapped = new Uint8Array(buffer.getMappedRange());
  mapped.fill(canary);
  mapped.set(bytes);
  buffer.unmap();
  return buffer;
}

/** The bytes of all buffers, by one submission. */
export async function download(device: GPUDevice, buffers: readonly GPUBuffer[]): Promise<Uint8Array[]> {
  const readers = buffers.map(({ size }) => device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST }));
  const encoder = device.createCommandEncoder();
  buffers.forEach((buffer, i) => encoder.copyBufferToBuffer(buffer, 0, readers[i]!, 0, buffer.size));
  device.queue.submit([encoder.finish()]);
  await Promise.all(readers.map((reader) => reader.mapAsync(GPUMapMode.READ)));
  return readers.map((reader) => {
    const bytes = new Uint8Array(reader.getMappedRange()).slice();
    reader.destroy();
    return bytes;
  });
}

export const filled = (bytes: number, byte: number): Uint8Array => new Uint8Array(bytes).fill(byte);

export function orderOf(options: SorterOptions): Order {
  const { dtype, descending = false, floatOrder = "numeric", bitBegin = 0, bitEnd = bitsOf[dtype] } = options;
  return { dtype, descending, floatOrder, bitBegin, bitEnd };
}

export const named = ({ options, count, pattern, seed, onDevice }: Trial): string => JSON.stringify({ ...options, count, pattern, seed, onDevice });

function indicesAs(bytes: number, count: number): Uint8Array {
  const words = new Uint32Array((count * bytes) / 4);
  for (let i = 0; i < count; ++i) words[(i * bytes) / 4] = i;
  return new Uint8Array(words.buffer);
}

function randomBytes(count: number, seed: number): Uint8Array {
  const random = randomOf(seed);
  return Uint8Array.from({ length: count }, () => random() & 255);
}

/** Expected bytes of a buffer of `room`: the result in front, what was there behind. */
function over(before: Uint8Array, result: Uint8Array): Uint8Array {
  const bytes = before.slice();
  bytes.set(result);
  return bytes;
}

async function withValidation(device: GPUDevice, work: () => void): Promise<void> {
  device.pushErrorScope("validation");
  work();
  const error = await device.popErrorScope();
  if (error !== null) throw new Error(error.message);
}

export async function runTrial(device: GPUDevice, trial: Trial): Promise<void> {
  const { options, seed, onDevice } = trial;
  const { operation = "sort", maxCount, initialValues = false, keysWanted = true } = options;
  const topK = operation === "topK";
  const inPlace = (options.inPlace ?? true) && !topK;
  const given = (items: number): number => (topK ? Math.min(options.k!, items) : items);
  const order = orderOf(options);
  const keyBytes = bitsOf[options.dtype] / 8;
  const valueBytes = operation === "sort" ? 0 : (options.valueBytes ?? 4);
  const count = Math.min(onDevice?.told ?? trial.count, maxCount);

  const keysBefore = over(filled(padded(maxCount * keyBytes), canary), keysOf(options.dtype, trial.pattern, maxCount, randomOf(seed)));
  const valuesBefore = over(filled(padded(maxCount * valueBytes), canary), randomBytes(maxCount * valueBytes, seed + 1));
  const empty = (bytes: number): Uint8Array => filled(padded(given(maxCount) * bytes), canary);
  const permutation = expectedOrder(keysBefore, count, order).slice(0, given(count));
  const keysAfter = permuted(keysBefore, keyBytes, permutation);
  const values = (operation === "argsort" || topK) && !initialValues ? indicesAs(valueBytes, count) : valuesBefore;
  const valuesAfter = permuted(values, valueBytes, permutation);

  const sorter = await Sorter.create(device, { ...options, scratch: "external" });
  const made: GPUBuffer[] = [];
  const make = (bytes: Uint8Array, usage?: number): GPUBuffer => made[made.push(upload(device, bytes, usage)) - 1]!;
  const expected: [string, GPUBuffer, Uint8Array][] = [];
  const buffers: SortBuffers = { keys: make(keysBefore), scratch: make(filled(Math.max(sorter.scratchBytes, 16), 0xcd)) };
  const keysMove = operation !== "argsort" && keysWanted;
  expected.push(["keys", buffers.keys as GPUBuffer, keysMove && inPlace ? over(keysBefore, keysAfter) : keysBefore]);
  if (keysMove && !inPlace) {
    buffers.keysOut = make(empty(keyBytes));
    expected.push(["keysOut", buffers.keysOut as GPUBuffer, over(empty(keyBytes), keysAfter)]);
  }
  const valuesInPlace = inPlace && (operation === "sortPairs" || initialValues);
  if (operation === "sortPairs" || initialValues) {
    buffers.values = make(valuesBefore);
    expected.push(["values", buffers.values as GPUBuffer, valuesInPlace ? over(valuesBefore, valuesAfter) : valuesBefore]);
  }
  if (valueBytes !== 0 && !valuesInPlace) {
    buffers.valuesOut = make(empty(valueBytes));
    expected.push(["valuesOut", buffers.valuesOut as GPUBuffer, over(empty(valueBytes), valuesAfter)]);
  }
  if (onDevice === undefined) buffers.count = count;
  else {
    // Count and arguments in one buffer, as a cull shader likes to write them.
    const words = Uint32Array.from({ length: 70 }, (_, i) => (i === 66 ? onDevice.told : i === 1 ? (onDevice.args ?? 0) : i < 4 ? 1 : 0xffffffff));
    const buffer = make(new Uint8Array(words.buffer), GPUBufferUsage.STORAGE | GPUBufferUsage.INDIRECT);
    buffers.countBuffer = { buffer, offset: 264 };
    if (onDevice.args !== undefined) buffers.args = { buffer, offset: 4 };
  }

  await withValidation(device, () => {
    for (let time = 0; time < (trial.times ?? 1); ++time) {
      const encoder = device.createCommandEncoder();
      if (trial.intoPass === true) {
        const pass = encoder.beginComputePass();
        sorter.encode(pass, buffers);
        pass.end();
      } else {
        sorter.encode(encoder, buffers);
      }
      device.queue.submit([encoder.finish()]);
    }
  });
  const results = await download(device, [...expected.map(([, buffer]) => buffer), buffers.scratch as GPUBuffer]);
  try {
    expected.forEach(([name, , bytes], i) => equal(results[i]!, bytes, name));
    const counted = new DataView(results.at(-1)!.buffer).getUint32(sorter.sortedCountOffset, true);
    const kept = new DataView(results.at(-1)!.buffer).getUint32(sorter.keptCountOffset, true);
    if (given(maxCount) > 0) equal([counted, kept], [given(expectedSortedCount(keysBefore, count, order)), given(count)], "sorted count, kept count");
  } catch (error) {
    throw new Error(`${named(trial)}: ${(error as Error).message}`);
  } finally {
    sorter.destroy();
    for (const buffer of made) buffer.destroy();
  }
}
