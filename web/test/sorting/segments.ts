// Segments on a device: pairs in place, and an argsort whose indices count from where their segment begins. The kernels of
// one variant, for drivers that take long to make them ready.
import { LanesortError, Sorter, type SorterOptions } from "../../src/index.ts";
import type { Check } from "../checks.ts";
import { equal } from "../equal.ts";
import { openDevice } from "../gpu.ts";
import { randomOf } from "./patterns.ts";
import { download, upload } from "./trial.ts";

const tile = 32 * 2;
const variant = { limits: { workgroup: 32, items: 2, radixBits: 4, groups: 3 }, subgroups: false };

interface Cut {
  begins: number[];
  ends: number[];
}

/** Empty ones, single items, a tile and its neighbours, many tiles, in a mixed order; `gap` items between two. */
function cutOf(gap: number): Cut {
  const cut: Cut = { begins: [], ends: [] };
  let at = gap;
  for (const length of [0, 1, tile - 1, tile, tile + 1, 0, 3, 5 * tile + 7, 1, 1, 0, 40, 2 * tile, 2]) {
    cut.begins.push(at);
    cut.ends.push(at + length);
    at += length + gap;
  }
  return cut;
}

const wordsOf = (bytes: Uint8Array): Uint32Array => new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
const bytesOf = (words: Iterable<number>): Uint8Array => new Uint8Array(Uint32Array.from(words).buffer);

/** The places of the items of each segment in the order of their keys; `items`: how many there are. */
function* sortedPlaces(keys: ArrayLike<number>, { begins, ends }: Cut, items: number): Generator<{ place: number; from: number; begin: number }> {
  for (const [s, begin] of begins.entries()) {
    const places = Array.from({ length: Math.max(0, Math.min(ends[s]!, items) - begin) }, (_, i) => begin + i);
    const order = places.sort((a, b) => keys[a]! - keys[b]! || a - b);
    for (const [i, from] of order.entries()) yield { place: begin + i, from, begin };
  }
}

async function runPairs(device: GPUDevice, gap: number, told: number | undefined): Promise<void> {
  const cut = cutOf(gap);
  const count = cut.ends.at(-1)! + 20;
  const random = randomOf(gap + 1);
  const keys = Uint32Array.from({ length: count }, () => random() % 50);
  const values = Uint32Array.from({ length: count }, (_, i) => i);
  const ends: SorterOptions = gap === 0 ? { dtype: "u32", maxCount: count } : { dtype: "u32", maxCount: count, segmentEnds: true };
  const sorter = await Sorter.create(device, { ...ends, operation: "sortPairs", maxSegments: cut.begins.length, ...variant });
  const begins = gap === 0 ? [...cut.begins, cut.ends.at(-1)!] : cut.begins;
  const buffers = {
    keys: upload(device, bytesOf(keys)), values: upload(device, bytesOf(values)), segmentBegins: upload(device, bytesOf(begins)),
    ...(gap === 0 ? {} : { segmentEnds: upload(device, bytesOf(cut.ends)) }),
    ...(told === undefined ? {} : { countBuffer: upload(device, bytesOf([told])) }),
  };
  const encoder = device.createCommandEncoder();
  sorter.encode(encoder, buffers);
  device.queue.submit([encoder.finish()]);
  const [gotKeys, gotValues] = await download(device, [buffers.keys, buffers.values]);
  const [wantKeys, wantValues] = [keys.slice(), values.slice()];
  for (const { place, from } of sortedPlaces(keys, cut, told ?? count)) {
    wantKeys[place] = keys[from]!;
    wantValues[place] = from;
  }
  equal(wordsOf(gotKeys!), wantKeys, `keys, gap ${gap}`);
  equal(wordsOf(gotValues!), wantValues, `values, gap ${gap}`);
  sorter.destroy();
}

async function runArgsort(device: GPUDevice): Promise<void> {
  const cut = cutOf(3);
  const count = cut.ends.at(-1)!;
  const random = randomOf(9);
  const keys = Uint8Array.from({ length: count }, () => random() & 7);
  const sorter = await Sorter.create(device, {
    dtype: "u8", operation: "argsort", maxCount: count, maxSegments: 20, segmentEnds: true, localIndices: true, ...variant,
  });
  const padded = (list: number[]): Uint8Array => bytesOf([...list, 1, 2, 3, 4, 5, 6]);
  const valuesOut = upload(device, bytesOf(new Array<number>(count).fill(77)));
  const encoder = device.createCommandEncoder();
  sorter.encode(encoder, {
    keys: upload(device, keys), valuesOut, segmentBegins: upload(device, padded(cut.begins)), segmentEnds: upload(device, padded(cut.ends)),
    segmentCount: cut.begins.length,
  });
  device.queue.submit([encoder.finish()]);
  const want = new Uint32Array(count).fill(77);
  for (const { place, from, begin } of sortedPlaces(keys, cut, count)) want[place] = from - begin;
  equal(wordsOf((await download(device, [valuesOut]))[0]!), want, "indices");
  if (sorter.writeArgsWgsl !== "") throw new Error("dispatch arguments are not of segments");
  sorter.destroy();
}

const sortsSegments: Check = async (gpu) => {
  const device = await openDevice(gpu);
  await runPairs(device, 0, undefined);
  await runPairs(device, 5, undefined);
  await runPairs(device, 2, 300);
  await runArgsort(device);
  await refuse(device);
  device.destroy();
};

async function refuse(device: GPUDevice): Promise<void> {
  const sorter = await Sorter.create(device, { dtype: "u32", operation: "sortPairs", maxCount: 400, maxSegments: 4, ...variant });
  const good = { keys: upload(device, new Uint8Array(1600)), values: upload(device, new Uint8Array(1600)), segmentBegins: upload(device, new Uint8Array(20)) };
  const refused = async (words: RegExp, work: () => unknown): Promise<void> => {
    const error = await Promise.resolve().then(work).then(() => undefined, (thrown: unknown) => thrown);
    if (!(error instanceof LanesortError) || !words.test(error.message)) throw new Error(`expected ${words}, got: ${String(error)}`);
  };
  const encode = (more: object) => () => sorter.encode(device.createCommandEncoder(), { ...good, ...more });
  await refused(/segmentCount \(is 5, limit 4\)/, encode({ segmentCount: 5 }));
  await refused(/segmentBegins is missing/, encode({ segmentBegins: undefined }));
  await refused(/segmentBegins: bytes \(is 16\)/, encode({ segmentBegins: { buffer: good.segmentBegins, size: 16 } }));
  await refused(/segmentEnds: not a buffer of this sorter/, encode({ segmentEnds: good.segmentBegins }));
  await refused(/options.localIndices/, () => Sorter.create(device, { dtype: "u32", maxCount: 4, localIndices: true }));
  await refused(/options.maxSegments/, () => Sorter.create(device, { dtype: "u32", maxCount: 4, maxSegments: -1 }));
  sorter.destroy();
}

export const segmentChecks: Record<string, Check> = {
  "segments are sorted, each by itself, and what is wrong is refused in words": sortsSegments,
};
