// Texts are put together as the contract says.
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { kernelNames } from "../../src/contract.ts";
import { kernelText } from "../../src/text.ts";

const kernelsDir = fileURLToPath(new URL("../../../kernels/wgsl", import.meta.url));
const shape = { workgroup: 64, items: 4, radixBits: 8, rows: 0, subgroupMax: 0 };

test.each(kernelNames)("%s has one entry point, of its name", (kernel) => {
  const text = kernelText(kernel, { shape, keyWords: 1, valueWords: 0 });
  expect(text.match(/@compute @workgroup_size\(WORKGROUP\)\nfn (\w+)\(/g)).toEqual([`@compute @workgroup_size(WORKGROUP)\nfn ${kernel}(`]);
  expect(text).toContain("const TILE = 256u;\n");
  expect(text).not.toMatch(/enable |subgroup[A-Z_]/);
});

test("subgroups are enabled where the kernel ranks by them, and nowhere else", () => {
  const subgroups = { ...shape, rows: 8, subgroupMax: 32 };
  const enabling = kernelNames.filter((kernel) => kernelText(kernel, { shape: subgroups, keyWords: 2, valueWords: 4 }).startsWith("enable subgroups;\n"));
  expect(enabling).toEqual(["scatter", "sweep", "small", "segments", "segment_scatter"]);
});

test("every file of kernels/wgsl is part of some text", () => {
  const ranked = [{ rows: 0 }, { rows: 8 }];
  const variants = ranked.flatMap((rows) => [1, 2].flatMap((keyWords) => [1, 2, 4].map((valueWords) => ({ shape: { ...shape, ...rows }, keyWords, valueWords }))));
  const all = variants.flatMap((variant) => kernelNames.map((kernel) => kernelText(kernel, variant))).join("");
  // By its head comment: the loops that are written out change the rest.
  for (const file of readdirSync(kernelsDir)) expect(all, file).toContain(readFileSync(`${kernelsDir}/${file}`, "utf8").split("\n")[0]);
});

test("marked loops are written out, an item a block, and nothing else is changed", () => {
  const source = ["scatter", "move"].map((file) => readFileSync(`${kernelsDir}/${file}.wgsl`, "utf8")).join("");
  const text = kernelText("scatter", { shape, keyWords: 1, valueWords: 1 });
  const marked = source.match(/ {2}\/\/ unrolled$/gm)!.length;
  expect(text).not.toContain("// unrolled");
  for (const j of [0, 1, 2, 3]) expect(text.split(`let j = ${j}u;\n`).length - 1).toBeGreaterThanOrEqual(marked);
  expect(text).not.toContain("let j = 4u;");
  const braces = (of: string, brace: string): number => of.split(brace).length;
  expect(braces(text, "{")).toBe(braces(text, "}"));
  const unmarked = source.split("\n").filter((line) => /^(fn|var|@compute)/.test(line));
  for (const line of unmarked) expect(text).toContain(`${line}\n`);
});

// Dawn sets such a variable to zero once a call and not once a round, by SPIR-V at least; naga did too.
test("what is declared in a loop has a value from the start", () => {
  const declared = (source: string): string[] => {
    const found: string[] = [];
    const loops: boolean[] = [];  // of the braces that are open: is it a loop's, or within one?
    for (const line of source.split("\n").map((text) => text.replace(/\/\/.*/, ""))) {
      if (loops.at(-1) === true && /\bvar\b[^=;]*;/.test(line)) found.push(line.trim());
      for (const brace of line.match(/[{}]/g) ?? []) {
        if (brace === "}") loops.pop();
        else loops.push(loops.at(-1) === true || /\b(for|while|loop)\b/.test(line));
      }
    }
    expect(loops).toEqual([]);
    return found;
  };
  const inLoop = "fn f() {\n  var before: u32;\n  for (;;) {\n    if (x) {\n      var a: u32;\n      var b = 0u;\n    }\n  }\n  var after: u32;\n}";
  expect(declared(inLoop)).toEqual(["var a: u32;"]);
  for (const file of readdirSync(kernelsDir)) expect(declared(readFileSync(`${kernelsDir}/${file}`, "utf8")), file).toEqual([]);
});
