// A file of numbers, by the end of its name: keys out of it, and the same file in another order.
import { LanesortError, type Dtype } from "../../src/index.ts";
import type { Bytes } from "../cpu/format.ts";
import { npyInOrder, npyKeys, npyLayout } from "./npy.ts";
import { readJson, readLines, settleTies, textInOrder, textKeys, type NumberText } from "./text.ts";

export interface NumberFile {
  dtype: Dtype;
  keys: Bytes;
  /** The indices sort the keys; what else the numbers say is settled here. */
  inOrder(indices: Uint32Array, descending: boolean): Bytes;
}

const mostBytes = 2 ** 31 - 1;  // of an ArrayBuffer that every browser makes

function textFile(text: NumberText): NumberFile {
  const { dtype, keys } = textKeys(text);
  return {
    dtype, keys,
    inOrder(indices, descending) {
      if (dtype === "f64") settleTies(text, new Float64Array(keys.buffer), indices, descending);
      return textInOrder(text, indices);
    },
  };
}

function npyFile(file: Bytes): NumberFile {
  const layout = npyLayout(file);
  return { dtype: layout.dtype, keys: npyKeys(file, layout), inOrder: (indices) => npyInOrder(file, layout, indices) };
}

export function checkName(name: string, bytes: number): void {
  if (!/\.(json|npy|txt)$/i.test(name)) {
    throw new LanesortError({ cause: "the end of the file's name", value: JSON.stringify(name),
      remedy: "give a .json, .npy or .txt file" });
  }
  if (bytes > mostBytes) throw new LanesortError({ cause: "bytes of the file", value: bytes, limit: mostBytes,
    remedy: "sort it by the command line, ./run sort" });
}

export function readNumberFile(name: string, file: Bytes): NumberFile {
  checkName(name, file.length);
  const kind = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  return kind === "npy" ? npyFile(file) : textFile(kind === "json" ? readJson(file) : readLines(file));
}
