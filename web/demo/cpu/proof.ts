// Is this a stable sort of those keys? Told without the package: keys become unsigned numbers whose order is the order
// asked for, and what stands in that order is looked at one by one, or compared with what the browser's own sort makes.
import type { Dtype } from "../../src/index.ts";
import { formats, rawOf, type Bytes, type Raw } from "./format.ts";

export type Images = Uint32Array<ArrayBuffer> | BigUint64Array<ArrayBuffer>;

const ones = (bits: number): number => 2 ** bits - 1;

// One word of at most 32 bits. NaN: last in both directions. -0: as 0.
function narrowImage(raw: number, bits: number, kind: string, fractionBits: number, descending: boolean): number {
  const sign = 2 ** (bits - 1);
  let image = raw;
  if (kind === "truth") image = raw === 0 ? 0 : 1;
  else if (kind === "signed") image = raw < sign ? raw + sign : raw - sign;
  else if (kind === "float") {
    const magnitude = raw < sign ? raw : raw - sign;
    if (magnitude > sign - 2 ** fractionBits) return ones(bits);
    image = raw < sign || magnitude === 0 ? magnitude + sign : ones(bits) - raw;
  }
  return descending ? ones(bits) - image : image;
}

function wideImages(keys: Bytes, kind: string, descending: boolean): BigUint64Array<ArrayBuffer> {
  const words = new Uint32Array(keys.buffer, keys.byteOffset, keys.byteLength / 4);
  const images = new Uint32Array(words.length);
  for (let i = 0; i < words.length; i += 2) {
    let [low, high] = [words[i]!, words[i + 1]!];
    let last = false;
    if (kind === "signed") high ^= 0x80000000;
    else if (kind === "float") {
      const magnitude = high & 0x7fffffff;
      if (magnitude > 0x7ff00000 || (magnitude === 0x7ff00000 && low !== 0)) last = true;
      else if ((magnitude | low) === 0) high = 0x80000000;
      else if (high >>> 31 === 0) high |= 0x80000000;
      else [low, high] = [~low, ~high];
    }
    if (descending) [low, high] = [~low, ~high];
    images[i] = last ? 0xffffffff : low;
    images[i + 1] = last ? 0xffffffff : high;
  }
  return new BigUint64Array(images.buffer);
}

export function imagesOf(keys: Bytes, dtype: Dtype, descending: boolean): Images {
  const { bytes, kind, fractionBits } = formats[dtype];
  if (bytes === 8) return wideImages(keys, kind, descending);
  const raw = rawOf(keys, dtype) as Exclude<Raw, BigUint64Array>;
  const images = new Uint32Array(raw.length);
  for (let i = 0; i < raw.length; ++i) images[i] = narrowImage(raw[i]!, 8 * bytes, kind, fractionBits, descending);
  return images;
}

/** Each index once, keys in order, equal keys by rising index. */
export function faultOfIndices(images: Images, indices: Uint32Array): string | undefined {
  if (indices.length !== images.length) return `${indices.length} indices for ${images.length} keys`;
  const seen = new Uint8Array(indices.length);
  for (let i = 0; i < indices.length; ++i) {
    const index = indices[i]!;
    if (index >= seen.length) return `place ${i} has index ${index} of ${seen.length}`;
    if (seen[index] === 1) return `place ${i} has index ${index} a second time`;
    seen[index] = 1;
    if (i === 0) continue;
    const before = indices[i - 1]!;
    if (images[before]! > images[index]!) return `places ${i - 1} and ${i} are out of order: keys ${before} and ${index}`;
    if (images[before] === images[index] && before > index) return `places ${i - 1} and ${i} are not stable: equal keys ${before} and ${index}`;
  }
  return undefined;
}

/** The moved keys are, bit for bit, those that the indices name. */
export function faultOfMoved(before: Raw, after: Raw, indices: Uint32Array): string | undefined {
  for (let i = 0; i < indices.length; ++i) {
    if (after[i] !== before[indices[i]!]) return `place ${i} has key ${after[i]} and the value of key ${indices[i]}, which is ${before[indices[i]!]}`;
  }
  return undefined;
}

// Equal keys may differ in bits where several raw keys have one image: those must keep their order of input.
function ambiguous(dtype: Dtype, descending: boolean): (number | bigint)[] {
  const { bytes, kind } = formats[dtype];
  if (kind === "truth") return [descending ? 254 : 1];
  if (kind !== "float") return [];
  const all = 2n ** BigInt(8 * bytes) - 1n;
  const zero = 2n ** BigInt(8 * bytes - 1);
  const images = [all, descending ? all - zero : zero];
  return bytes === 8 ? images : images.map(Number);
}

/** Keys alone: the images are those that the browser's sort makes, and equal keys of different bits kept their order. */
export function faultOfKeys(before: Bytes, after: Bytes, dtype: Dtype, descending: boolean): string | undefined {
  if (before.length !== after.length) return `${after.length} bytes instead of ${before.length}`;
  const [from, to] = [imagesOf(before, dtype, descending), imagesOf(after, dtype, descending)];
  const [rawFrom, rawTo] = [rawOf(before, dtype), rawOf(after, dtype)];
  const sorted = from.slice().sort();
  for (let i = 0; i < sorted.length; ++i) if (sorted[i] !== to[i]) return `place ${i} has key ${rawTo[i]}, which does not belong there`;
  for (const image of ambiguous(dtype, descending)) {
    let at = 0;
    for (let i = 0; i < to.length; ++i) {
      if (to[i] !== image) continue;
      while (from[at] !== image) ++at;
      if (rawFrom[at] !== rawTo[i]) return `place ${i} is not stable: key ${rawTo[i]} instead of its equal ${rawFrom[at]}`;
      ++at;
    }
  }
  return undefined;
}
