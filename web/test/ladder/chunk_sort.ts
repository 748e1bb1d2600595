// The tutorials' sort at its edges: a chunk more or less, rows with and without a tail, keys like the padding, the limit.
import { ChunkSort } from "../../ladder/chunk_sort.ts";
import type { Check } from "../checks.ts";
import { equal } from "../equal.ts";
import { openDevice } from "../gpu.ts";
import { randomOf } from "../sorting/patterns.ts";
import { download, upload } from "../sorting/trial.ts";

const guard = 0xa5a5a5a5;  // one item more than is sorted, by which a write past the count would be seen
const wordsOf = (bytes: Uint8Array) => new Uint32Array(bytes.buffer, 0, bytes.length / 4);

/** Every fourth key is all ones, as the padding is; the others are few enough that many are equal. */
function keysLikePadding(count: number, seed: number): Uint32Array<ArrayBuffer> {
  const random = randomOf(seed);
  return Uint32Array.from({ length: count }, (_, index) => (index % 4 === 1 ? 0xffffffff : (random() % 1000) * 4294967));
}

async function sortsRight(device: GPUDevice, sorter: ChunkSort, count: number, seed: number): Promise<void> {
  const keys = keysLikePadding(count, seed);
  const order = Uint32Array.from(keys.keys()).sort((a, b) => keys[a]! - keys[b]! || a - b);
  const [keyBuffer, idBuffer] = [keys, Uint32Array.from(keys.keys())].map((words) => {
    const guarded = new Uint32Array(count + 1).fill(guard);
    guarded.set(words);
    return upload(device, new Uint8Array(guarded.buffer));
  }) as [GPUBuffer, GPUBuffer];
  sorter.prepare(keyBuffer, idBuffer, count);
  const encoder = device.createCommandEncoder();
  sorter.encode(encoder);
  device.queue.submit([encoder.finish()]);
  const [sortedKeys, sortedIds] = (await download(device, [keyBuffer, idBuffer])).map(wordsOf) as [Uint32Array, Uint32Array];
  const name = `${count} keys, seed ${seed}`;
  equal(sortedIds.subarray(0, count), order, `ids of ${name}`);
  equal(sortedKeys.subarray(0, count), order.map((index) => keys[index]!), `keys of ${name}`);
  equal([sortedKeys[count]!, sortedIds[count]!], [guard, guard], `the words behind ${name}`);
  keyBuffer.destroy();
  idBuffer.destroy();
}

const sorts = (counts: readonly number[], padBanks = true): Check => async (gpu) => {
  const device = await openDevice(gpu);
  const sorter = new ChunkSort(device, { padBanks });
  const seed = 20261130;
  for (const count of counts) await sortsRight(device, sorter, count, seed + count);
  sorter.destroy();
  device.destroy();
};

const refusesOneMore: Check = async (gpu) => {
  const device = await openDevice(gpu);
  const sorter = new ChunkSort(device);
  const buffer = upload(device, new Uint8Array(16));
  for (const count of [ChunkSort.maxCount + 1, -1, 0.5, Number.NaN]) {
    try {
      sorter.prepare(buffer, buffer, count);
    } catch (error) {
      if (error instanceof RangeError && error.message.includes("262144") && error.message.includes(String(count))) continue;
      throw error;
    }
    throw new Error(`${count} items were not refused`);
  }
  device.destroy();
};

/** Rows of totals with and without a tail. Many barriers, each of which SwiftShader pays for. */
export const fullLadderChecks: Record<string, Check> = {
  "the chunk sort is right without padding of banks": sorts([513, 4 * 512], false),
  "the chunk sort is right with as many chunks as it takes": sorts([511 * 512, ChunkSort.maxCount]),
};

export const ladderChecks: Record<string, Check> = {
  "the chunk sort is right at its edges": sorts([0, 1, 2, 511, 512, 513, 5 * 512 + 7, 100]),
  "the chunk sort refuses one item more than it takes": refusesOneMore,
};
