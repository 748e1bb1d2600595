// Twin of kernels/key_order.hpp: raw bits -> mapped key, whose plain order is the order asked for. Words of up to
// 64 bits are two of 32, as the kernels see them.

export type KeyKind = "boolean" | "unsigned_integer" | "signed_integer" | "floating";
export type NanPlace = "last" | "first" | "by_bits";

export interface Word {
  lo: number;
  hi: number;
}

export interface KeyOrder {
  base: Word;      // xor for keys whose sign bit is clear
  flip: Word;      // further xor for keys whose sign bit is set
  largest: Word;   // magnitudes above it are NaN
  nanImage: Word;  // the mapped key of every NaN
  folded: Word;    // a raw key that counts as 0
  sign: Word;
  truth: boolean;  // bool: any key but 0 is true
}

const zero: Word = { lo: 0, hi: 0 };
const not = (a: Word, within: Word): Word => ({ lo: (~a.lo & within.lo) >>> 0, hi: (~a.hi & within.hi) >>> 0 });
const xor = (a: Word, b: Word): Word => ({ lo: (a.lo ^ b.lo) >>> 0, hi: (a.hi ^ b.hi) >>> 0 });

// Ones in the bits [begin, end).
export function onesBetween(begin: number, end: number): Word {
  const below = (bits: number): number => (bits <= 0 ? 0 : bits >= 32 ? 0xffffffff : 2 ** bits - 1);
  return { lo: (below(end) & ~below(begin)) >>> 0, hi: (below(end - 32) & ~below(begin - 32)) >>> 0 };
}

export function makeKeyOrder(keyBits: number, kind: KeyKind, descending: boolean, nan: NanPlace, mantissaBits: number): KeyOrder {
  const all = onesBetween(0, keyBits);
  const sign = onesBetween(keyBits - 1, keyBits);
  const order: KeyOrder = { base: zero, flip: zero, largest: not(sign, all), nanImage: zero, folded: zero, sign, truth: kind === "boolean" };
  if (kind === "signed_integer" || kind === "floating") order.base = sign;
  if (kind === "floating") {
    order.flip = not(sign, all);
    if (nan !== "by_bits") {
      order.largest = not(onesBetween(0, mantissaBits), order.largest);
      order.folded = sign;
      order.nanImage = nan === "last" ? all : zero;
    }
  }
  if (descending) order.base = not(order.base, all);
  return order;
}

export function mapKey(order: KeyOrder, raw: Word): Word {
  if (order.truth) return xor({ lo: raw.lo !== 0 || raw.hi !== 0 ? 1 : 0, hi: 0 }, order.base);
  const magnitude = { lo: (raw.lo & ~order.sign.lo) >>> 0, hi: (raw.hi & ~order.sign.hi) >>> 0 };
  if (magnitude.hi > order.largest.hi || (magnitude.hi === order.largest.hi && magnitude.lo > order.largest.lo)) return order.nanImage;
  const folded = raw.lo === order.folded.lo && raw.hi === order.folded.hi ? zero : raw;
  const negative = ((folded.lo & order.sign.lo) | (folded.hi & order.sign.hi)) !== 0;
  return xor(xor(folded, order.base), negative ? order.flip : zero);
}
