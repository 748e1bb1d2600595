// .npy files (numpy.lib.format 1.0 to 3.0) of one dimension: where their records are and what they hold.
import { LanesortError, type Dtype } from "../../src/index.ts";
import { formats, type Bytes } from "../cpu/format.ts";

export interface NpyLayout {
  dtype: Dtype;
  bigEndian: boolean;
  count: number;
  dataOffset: number;
}

const dtypeOfCode: Record<string, Dtype> = {
  b1: "bool", i1: "i8", u1: "u8", i2: "i16", u2: "u16", i4: "i32", u4: "u32", i8: "i64", u8: "u64", f2: "f16",
    f4: "f32", f8: "f64",
};

function refuse(cause: string, remedy: string, value?: unknown, limit?: unknown): never {
  throw new LanesortError({ cause, value, limit, remedy });
}

function headerOf(file: Bytes): { header: string; dataOffset: number } {
  const magic = [0x93, ...new TextEncoder().encode("NUMPY")];
  if (!magic.every((byte, i) => file[i] === byte)) refuse("this is no .npy file: it does not begin with \\x93NUMPY",
    "save it by numpy.save");
  const version = file[6] ?? 0;
  if (version < 1 || version > 3) refuse("the version of the .npy format", "save it by numpy.save", version, 3);
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const lengthBytes = version === 1 ? 2 : 4;
  if (file.length < 8 + lengthBytes) refuse("the file ends inside its header", "copy it again", file.length,
    8 + lengthBytes);
  const length = version === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  const dataOffset = 8 + lengthBytes + length;
  if (dataOffset > file.length) refuse("the file ends inside its header: its bytes", "copy it again", file.length,
    dataOffset);
  return { header: new TextDecoder().decode(file.subarray(8 + lengthBytes, dataOffset)), dataOffset };
}

function countOf(header: string): number {
  const shape = /'shape'\s*:\s*\(([^)]*)\)/.exec(header)?.[1];
  if (shape === undefined) refuse("the header names no shape", "save it by numpy.save");
  const sizes = shape.split(",").map((part) => part.trim()).filter((part) => part !== "");
  if (sizes.length !== 1) refuse("the array's dimensions", "save array.ravel(): an array of one dimension is sorted",
    sizes.length, 1);
  const count = /^\d+$/.test(sizes[0]!) ? Number(sizes[0]) : NaN;
  if (!Number.isSafeInteger(count)) refuse("the array's length", "save it by numpy.save", sizes[0],
    Number.MAX_SAFE_INTEGER);
  return count;
}

export function npyLayout(file: Bytes): NpyLayout {
  const { header, dataOffset } = headerOf(file);
  const descr = /'descr'\s*:\s*'([^']*)'/.exec(header)?.[1];
  if (descr === undefined) refuse("the array holds records of several fields, or its header names no dtype",
    "save one field: array['name']");
  const dtype = dtypeOfCode[descr.slice(1)];
  if (dtype === undefined || !"<>|=".includes(descr[0]!)) {
    refuse("the array's dtype", `convert it by array.astype() to one of ${Object.keys(dtypeOfCode).join(", ")}`,
      `'${descr}'`);
  }
  const count = countOf(header);
  const [there, needed] = [file.length - dataOffset, count * formats[dtype].bytes];
  if (there < needed) refuse(`the file is cut off: bytes for ${count} items of ${dtype}`, "copy it again", there,
    needed);
  if (there > needed) refuse(`there is more behind the array: bytes for ${count} items of ${dtype}`,
    "save one array to a file", there, needed);
  return { dtype, bigEndian: descr[0] === ">", count, dataOffset };
}

/** The records, low byte first, in memory of their own. */
export function npyKeys(file: Bytes, { dtype, bigEndian, dataOffset }: NpyLayout): Bytes {
  const keys = file.slice(dataOffset);
  const { bytes } = formats[dtype];
  if (bigEndian && bytes > 1) for (let at = 0; at < keys.length; at += bytes) keys.subarray(at, at + bytes).reverse();
  return keys;
}

/** The file with its records in the order of the indices, each byte as it was. */
export function npyInOrder(file: Bytes, { dtype, dataOffset }: NpyLayout, indices: Uint32Array): Bytes {
  const sorted = file.slice();
  const { bytes } = formats[dtype];
  for (let i = 0, to = dataOffset; i < indices.length; ++i) {
    const from = dataOffset + indices[i]! * bytes;
    for (let byte = 0; byte < bytes; ++byte) sorted[to++] = file[from + byte]!;
  }
  return sorted;
}
