// Numbers in a text: one a line, or one JSON array (RFC 8259). Each is written out as it was spelled; what the command
// line takes without --dtype and how it orders, but for its hexadecimal numbers.
//
// Invariant: keys are exact (i32, i64 or u64) where all numbers are whole and fit, else doubles, whose ties are then
// settled by the digits themselves: no precision is lost either way.
import { LanesortError, type Dtype } from "../../src/index.ts";
import type { Bytes } from "../cpu/format.ts";
import { compareDecimals, decimalOf } from "./decimal.ts";

/** Where each number begins and ends. */
export interface NumberText {
  bytes: Bytes;
  begins: Uint32Array;
  ends: Uint32Array;
  json: boolean;
}

const [tab, lineFeed, carriageReturn, space, comma, open, close] = [9, 10, 13, 32, 44, 91, 93];
const lineNumber = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan)$/i;
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const mostShown = 40;

const decoder = new TextDecoder();
export const numberAt = ({ bytes, begins, ends }: NumberText,
  i: number): string => decoder.decode(bytes.subarray(begins[i], ends[i]));

function placeOf(bytes: Bytes, at: number): string {
  let line = 1;
  let begin = 0;
  for (let i = 0; i < at; ++i) {
    if (bytes[i] !== lineFeed && !(bytes[i] === carriageReturn && bytes[i + 1] !== lineFeed)) continue;
    ++line;
    begin = i + 1;
  }
  return `line ${line}, column ${at - begin + 1}`;
}

const shown = (words: string): string => JSON.stringify(words.length > mostShown ? `${words.slice(0, mostShown)}…` : words);
function refuse(bytes: Bytes, at: number, what: string, remedy: string): never {
  throw new LanesortError({ cause: `${placeOf(bytes, at)}: ${what}`, remedy });
}

function check(bytes: Bytes, from: number, to: number, grammar: RegExp, remedy: string): void {
  const number = decoder.decode(bytes.subarray(from, to));
  if (!grammar.test(number)) refuse(bytes, from, `${shown(number)} is not a number`, remedy);
}

const begin = (bytes: Bytes): number => (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0);

// Two arrays that grow.
class Places {
  count = 0;
  private begins = new Uint32Array(1024);
  private ends = new Uint32Array(1024);

  add(from: number, to: number): void {
    if (this.count === this.begins.length) [this.begins, this.ends] = [this.begins, this.ends].map((old) => {
      const grown = new Uint32Array(2 * old.length);
      grown.set(old);
      return grown;
    }) as [Uint32Array<ArrayBuffer>, Uint32Array<ArrayBuffer>];
    this.begins[this.count] = from;
    this.ends[this.count++] = to;
  }

  of(bytes: Bytes, json: boolean): NumberText {
    return { bytes, json, begins: this.begins.slice(0, this.count), ends: this.ends.slice(0, this.count) };
  }
}

const isBlank = (byte: number | undefined): boolean => byte === space || byte === tab;

export function readLines(bytes: Bytes): NumberText {
  const places = new Places();
  for (let at = begin(bytes); at < bytes.length;) {
    let end = at;
    while (end < bytes.length && bytes[end] !== lineFeed && bytes[end] !== carriageReturn) ++end;
    let [from, to] = [at, end];
    while (from < to && isBlank(bytes[from])) ++from;
    while (to > from && isBlank(bytes[to - 1])) --to;
    if (from === to) refuse(bytes, at, "the line is empty", "take it out: each line is one number");
    check(bytes, from, to, lineNumber, "write one decimal number a line");
    places.add(from, to);
    at = end + (bytes[end] === carriageReturn && bytes[end + 1] === lineFeed ? 2 : 1);
  }
  return places.of(bytes, false);
}

const isSpace = (byte: number | undefined): boolean => isBlank(byte) || byte === lineFeed || byte === carriageReturn;

export function readJson(bytes: Bytes): NumberText {
  const places = new Places();
  let at = begin(bytes);
  const skip = (): void => { while (isSpace(bytes[at])) ++at; };
  const remedy = "give one array of numbers, as in [3, 1, 2]";
  skip();
  if (bytes[at] !== open) refuse(bytes, at, "there is no [ at the start", remedy);
  ++at;
  skip();
  if (bytes[at] !== close) {
    for (;;) {
      skip();
      const from = at;
      while (at < bytes.length && !isSpace(bytes[at]) && bytes[at] !== comma && bytes[at] !== close) ++at;
      if (at === from) refuse(bytes, at,
        at === bytes.length ? "the array does not end" : "there is no number where one should be", remedy);
      check(bytes, from, at, jsonNumber, "JSON knows decimal numbers alone: no words, no text, nothing nested");
      places.add(from, at);
      skip();
      if (bytes[at] === close) break;
      if (bytes[at] !== comma) refuse(bytes, at,
        at === bytes.length ? "the array does not end" : "there is no comma behind the number", remedy);
      ++at;
    }
  }
  ++at;
  skip();
  if (at < bytes.length) refuse(bytes, at, "there is more behind the array", remedy);
  return places.of(bytes, true);
}

/** Keys that say the order, but for ties of doubles. */
export function textKeys(text: NumberText): { dtype: Dtype; keys: Bytes } {
  const count = text.begins.length;
  const whole = new BigInt64Array(count);
  let [least, most] = [0n, 0n];
  for (let i = 0; i < count; ++i) {
    const number = numberAt(text, i);
    if (!/^[+-]?\d{1,40}$/.test(number)) return doubles(text);
    const value = BigInt(number.replace("+", ""));
    if (value < least) least = value;
    else if (value > most) most = value;
    whole[i] = value;  // its lower 64 bits
  }
  const bytes = new Uint8Array(whole.buffer);
  if (least >= -(2n ** 31n) && most < 2n ** 31n) return { dtype: "i32",
    keys: new Uint8Array(Int32Array.from(whole, Number).buffer) };
  if (least >= -(2n ** 63n) && most < 2n ** 63n) return { dtype: "i64", keys: bytes };
  return least >= 0n && most < 2n ** 64n ? { dtype: "u64", keys: bytes } : doubles(text);
}

function doubleOf(number: string): number {
  const [, sign, word] = /^([+-]?)(inf|nan)?/i.exec(number)!;
  if (word === undefined) return Number(number);
  return word.toLowerCase() === "nan" ? NaN : sign === "-" ? -Infinity : Infinity;
}

function doubles(text: NumberText): { dtype: Dtype; keys: Bytes } {
  const keys = Float64Array.from(text.begins, (_, i) => doubleOf(numberAt(text, i)));
  return { dtype: "f64", keys: new Uint8Array(keys.buffer) };
}

/** Puts numbers that are one double, and more by their digits, into their exact order; equal ones keep theirs. */
export function settleTies(text: NumberText, keys: Float64Array, indices: Uint32Array, descending: boolean): void {
  for (let first = 0, last = 1; first < indices.length; first = last++) {
    const key = keys[indices[first]!]!;
    while (last < indices.length && keys[indices[last]!] === key) ++last;
    if (last - first < 2) continue;
    const run = Array.from(indices.subarray(first, last), (index) => ({ index, spelled: numberAt(text, index) }));
    if (run.every(({ spelled }) => spelled === run[0]!.spelled)) continue;
    const exact = run.map(({ index, spelled }) => ({ index, decimal: decimalOf(spelled) }));
    exact.sort((a, b) => (descending ? -1 : 1) * compareDecimals(a.decimal, b.decimal) || a.index - b.index);
    exact.forEach(({ index }, i) => (indices[first + i] = index));
  }
}

/** The numbers in the order of the indices, spelled as they were, in the command line's punctuation. */
export function textInOrder({ bytes, begins, ends, json }: NumberText, indices: Uint32Array): Bytes {
  const [before, between,
    after] = (json ? ["[", ", ", "]\n"] : ["", "\n",
    indices.length === 0 ? "" : "\n"]).map((mark) => new TextEncoder().encode(mark)) as [Bytes, Bytes, Bytes];
  let size = before.length + after.length + between.length * Math.max(0, indices.length - 1);
  for (let i = 0; i < begins.length; ++i) size += ends[i]! - begins[i]!;
  const sorted = new Uint8Array(size);
  let at = 0;
  const put = (part: Uint8Array): void => {
    sorted.set(part, at);
    at += part.length;
  };
  put(before);
  indices.forEach((index, i) => {
    if (i > 0) put(between);
    put(bytes.subarray(begins[index], ends[index]));
  });
  put(after);
  return sorted;
}
