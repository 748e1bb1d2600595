// What the page knows of a key by itself, apart from the package: the proofs must not share the sorter's mistakes.
import type { Dtype } from "../../src/index.ts";

export interface Format {
  bytes: 1 | 2 | 4 | 8;
  kind: "truth" | "unsigned" | "signed" | "float";
  /** Of the fraction; floats alone. */
  fractionBits: number;
}

const format = (bytes: Format["bytes"], kind: Format["kind"],
  fractionBits = 0): Format => ({ bytes, kind, fractionBits });
export const formats: Record<Dtype, Format> = {
  bool: format(1, "truth"), u8: format(1, "unsigned"), i8: format(1, "signed"), u16: format(2, "unsigned"),
    i16: format(2, "signed"),
  u32: format(4, "unsigned"), i32: format(4, "signed"), u64: format(8, "unsigned"), i64: format(8, "signed"),
  f16: format(2, "float", 10), bf16: format(2, "float", 7), f32: format(4, "float", 23), f64: format(8, "float", 52),
};
export const dtypeNames = Object.keys(formats) as Dtype[];

export type Bytes = Uint8Array<ArrayBuffer>;
export type Raw = Uint8Array | Uint16Array | Uint32Array | BigUint64Array;

/** The keys as unsigned numbers. The bytes begin where their buffer does, or at a multiple of the key's size. */
export function rawOf(keys: Bytes, dtype: Dtype): Raw {
  const { bytes } = formats[dtype];
  const made = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: BigUint64Array }[bytes];
  return new made(keys.buffer, keys.byteOffset, keys.byteLength / bytes);
}
