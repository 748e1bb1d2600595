// The page's files of numbers: what is read, in which order it is written, and what is refused in which words.
import { expect, test } from "vitest";
import { LanesortError } from "../../src/index.ts";
import { argsortOnCpu } from "../../src/cpu.ts";
import { requestOf } from "../../src/options.ts";
import { readNumberFile } from "../../demo/files/number_file.ts";

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

function sorted(name: string, content: string | Uint8Array<ArrayBuffer>, descending = false): Uint8Array {
  const { dtype, keys, inOrder } = readNumberFile(name, typeof content === "string" ? bytesOf(content) : content);
  const indices = argsortOnCpu(keys, requestOf({ operation: "argsort", dtype, maxCount: 1, descending }));
  return inOrder(indices, descending);
}
const sortedText = (name: string, text: string, descending = false): string => new TextDecoder().decode(sorted(name, text, descending));

function npy(descr: string, shape: string, data: ArrayBufferView, more = 0, version = 1): Uint8Array<ArrayBuffer> {
  const head = `{'descr': ${descr}, 'fortran_order': False, 'shape': ${shape}, }\n`;
  const length = version === 1 ? [head.length & 255, head.length >> 8] : [head.length & 255, head.length >> 8, 0, 0];
  const body = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const all = [0x93, ...bytesOf("NUMPY"), version, 0, ...length, ...bytesOf(head), ...body, ...new Array<number>(Math.max(0, more)).fill(0)];
  return Uint8Array.from(more < 0 ? all.slice(0, more) : all);
}
const quoted = (descr: string): string => `'${descr}'`;

test.each([
  ["numbers keep their spelling, and equal ones their order", "n.json", "[3, 1e0, 0.10, 1, 0.1, -2]", "[-2, 0.10, 0.1, 1e0, 1, 3]\n"],
  ["whole numbers beyond 2^53", "n.json", "[9007199254740993,9007199254740992,9007199254740991]", "[9007199254740991, 9007199254740992, 9007199254740993]\n"],
  ["both ends of i64", "n.txt", "9223372036854775807\n-9223372036854775808\n9223372036854775806\n", "-9223372036854775808\n9223372036854775806\n9223372036854775807\n"],
  ["the end of u64", "n.txt", "18446744073709551615\r\n18446744073709551614\r\n0", "0\n18446744073709551614\n18446744073709551615\n"],
  ["beyond u64, and negative ones beside large ones", "n.txt", "18446744073709551617\n18446744073709551616\n-1", "-1\n18446744073709551616\n18446744073709551617\n"],
  ["large whole numbers beside fractions", "n.json", "[9007199254740993, 0.5, 9007199254740992]", "[0.5, 9007199254740992, 9007199254740993]\n"],
  ["digits that a double does not hold", "n.txt", "0.30000000000000000002\n0.3\n0.30000000000000000001\n.3", "0.3\n.3\n0.30000000000000000001\n0.30000000000000000002\n"],
  ["exponents beyond a double", "n.txt", "1e400\n1e401\ninf\n-1e400\n1e-400\n0\n-1e-400", "-1e400\n-1e-400\n0\n1e-400\n1e400\n1e401\ninf\n"],
  ["infinity that finite numbers round to", "n.txt", "inf\n2e308\n1e308\n-inf\n-2e308", "-inf\n-2e308\n1e308\n2e308\ninf\n"],
  ["nan last, zeros equal", "n.txt", "nan\n0\n-0\n-NaN\n-inf\n0.0", "-inf\n0\n-0\n0.0\nnan\n-NaN\n"],
  ["blanks, a byte order mark, every end of a line", "n.TXT", "\ufeff 2 \r1\t\n\t0\r\n+1", "0\n1\n+1\n2\n"],
  ["an empty array", "n.json", " [ ] ", "[]\n"],
  ["an empty text", "n.txt", "", ""],
])("%s", (_, name, text, expected) => expect(sortedText(name, text)).toBe(expected));

test("descending: ties keep their order, exact ones too, and nan stay last", () => {
  expect(sortedText("n.txt", "1\n01\nnan\n0.30000000000000000001\n0.3\n2", true)).toBe("2\n1\n01\n0.30000000000000000001\n0.3\nnan\n");
});

test.each([
  ["n.csv", "1", /name.*n\.csv.*\.json, \.npy or \.txt/],
  ["n.txt", "1\n\n2", /line 2, column 1: the line is empty/],
  ["n.txt", "1\r\n2 3", /line 2, column 1: "2 3" is not a number/],
  ["n.txt", `1\n${"x".repeat(99)}`, /line 2.*"x{40}…" is not a number/],
  ["n.txt", "0x1f", /"0x1f" is not a number/],
  ["n.txt", "1,2", /"1,2" is not a number/],
  ["n.json", "", /line 1, column 1: there is no \[/],
  ["n.json", "{\"a\": 1}", /there is no \[/],
  ["n.json", "[1,\n 2", /line 2, column 3: the array does not end/],
  ["n.json", "[1,]", /column 4: there is no number/],
  ["n.json", "[1 2]", /column 4: there is no comma/],
  ["n.json", "[1] 2", /column 5: there is more behind/],
  ["n.json", "[01]", /"01" is not a number/],
  ["n.json", "[NaN]", /"NaN" is not a number/],
  ["n.json", "[[1]]", /"\[1" is not a number/],
  ["n.json", "[null, \"2\"]", /"null" is not a number/],
])("%s %j is refused", (name, text, words) => {
  expect(() => readNumberFile(name, bytesOf(text))).toThrow(words);
  expect(() => readNumberFile(name, bytesOf(text))).toThrow(LanesortError);
});

test("arrays of numpy: the header stays, 64 bits are exact", () => {
  const before = npy(quoted("<u8"), "(3,)", BigUint64Array.of(2n ** 64n - 1n, 2n ** 53n + 1n, 2n ** 53n));
  const after = npy(quoted("<u8"), "(3,)", BigUint64Array.of(2n ** 53n, 2n ** 53n + 1n, 2n ** 64n - 1n));
  expect(sorted("a.npy", before)).toEqual(after);
});

test("bytes in the other order are sorted as numbers and stay so", () => {
  expect(sorted("a.npy", npy(quoted(">u2"), "(2,)", Uint8Array.of(1, 0, 0, 2)))).toEqual(npy(quoted(">u2"), "(2,)", Uint8Array.of(0, 2, 1, 0)));
});

test.each(["|b1", "|u1", "|i1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8"])("%s of no items, in each version", (descr) => {
  for (const version of [1, 2, 3]) expect(sorted("a.npy", npy(quoted(descr), "(0,)", new Uint8Array(), 0, version))).toEqual(npy(quoted(descr), "(0,)", new Uint8Array(), 0, version));
});

const three = new Float32Array(3);
test.each([
  ["no magic", bytesOf("hello, world"), /no \.npy file/],
  ["an unknown version", npy(quoted("<f4"), "(3,)", three, 0, 9), /version.*9.*limit 3/],
  ["a header that is cut off", npy(quoted("<f4"), "(3,)", three).slice(0, 40), /ends inside its header/],
  ["a file that is cut off", npy(quoted("<f4"), "(3,)", three, -1), /cut off.*3 items of f32 \(is 11, limit 12\)/],
  ["more behind the array", npy(quoted("<f4"), "(3,)", three, 1), /more behind.*is 13, limit 12/],
  ["two dimensions", npy(quoted("<f4"), "(3, 1)", three), /dimensions \(is 2, limit 1\): save array\.ravel/],
  ["no dimension", npy(quoted("<f4"), "()", new Float32Array(1)), /dimensions \(is 0/],
  ["complex numbers", npy(quoted("<c8"), "(3,)", new Float32Array(6)), /dtype \(is '<c8'\).*astype/],
  ["objects", npy(quoted("|O"), "(3,)", three), /dtype \(is '\|O'\)/],
  ["records", npy("[('x', '<f4')]", "(3,)", three), /several fields/],
  ["an absurd length", npy(quoted("<f4"), "(99999999999999999999,)", three), /length/],
])("%s is refused", (_, file, words) => expect(() => readNumberFile("a.npy", file)).toThrow(words));
