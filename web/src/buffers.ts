// The caller's buffers: what may be bound where, checked before anything is recorded.

import { refuse } from "./errors.js";

export interface BufferRange {
  buffer: GPUBuffer;
  /** In bytes, a multiple of the device's minStorageBufferOffsetAlignment. Default: 0. */
  offset?: number;
  /** In bytes. Default: up to the buffer's end. */
  size?: number;
}

export interface Range {
  name: string;
  buffer: GPUBuffer;
  offset: number;
  size: number;
}

// Numbers of the WebGPU standard: GPUBufferUsage is no global where only types were loaded.
export const usage = { mapRead: 0x1, copySrc: 0x4, copyDst: 0x8, uniform: 0x40, storage: 0x80, indirect: 0x100, queryResolve: 0x200 };
const usageNames: Record<number, string> = { [usage.storage]: "STORAGE", [usage.indirect]: "INDIRECT" };

export function rangeOf(name: string, given: GPUBuffer | BufferRange): Range {
  const { buffer, offset = 0, size } = "buffer" in given ? given : { buffer: given };
  if (typeof buffer?.size !== "number") refuse({ cause: name, value: buffer, remedy: "give a GPUBuffer or { buffer, offset, size }" });
  if (!Number.isInteger(offset) || offset < 0 || offset > buffer.size) {
    refuse({ cause: `${name}: offset`, value: offset, limit: buffer.size, remedy: "give an offset inside the buffer" });
  }
  const rest = buffer.size - offset;
  if (size !== undefined && (!Number.isInteger(size) || size < 0 || size > rest)) {
    refuse({ cause: `${name}: size`, value: size, limit: rest, remedy: "give a size inside the buffer" });
  }
  return { name, buffer, offset, size: size ?? rest };
}

export function checkUsage(range: Range, needed: number): void {
  if ((range.buffer.usage & needed) !== 0) return;
  refuse({ cause: `${range.name}: usage flags`, value: range.buffer.usage, remedy: `create the buffer with GPUBufferUsage.${usageNames[needed]}` });
}

export function checkAlignment(range: Range, alignment: number): void {
  if (range.offset % alignment === 0) return;
  refuse({ cause: `${range.name}: offset`, value: range.offset, remedy: `give a multiple of ${alignment}` });
}

// What of the range is bound: `most` bytes where it has them, never fewer than `least`.
export function bound(range: Range, least: number, most: number): Range {
  if (range.size < least) refuse({ cause: `${range.name}: bytes`, value: range.size, remedy: `give at least ${least}` });
  return { ...range, size: Math.min(most, Math.floor(range.size / 4) * 4) };
}

// Everything is bound for writing, so WebGPU allows no two bindings to share a byte.
export function checkApart(ranges: readonly Range[]): void {
  ranges.forEach((a, i) => {
    for (const b of ranges.slice(i + 1)) {
      if (a.buffer !== b.buffer || a.offset + a.size <= b.offset || b.offset + b.size <= a.offset) continue;
      refuse({ cause: `${a.name} and ${b.name} overlap from byte`, value: Math.max(a.offset, b.offset), remedy: "give parts of the buffer that lie apart" });
    }
  });
}
