// The package as its users get it: built, packed, looked at by publint and are-the-types-wrong, and installed into an
// empty project, whose types and bundle use it.
// node test/package.mjs <version that it must have> <folder for the tarball>
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const [version, folder] = process.argv.slice(2);
const mostGzippedBytes = 30_000;
const say = (/** @type {string} */ text) => process.stdout.write(`${text}\n`);
const run = (/** @type {string} */ program, /** @type {string[]} */ ...rest) => execFileSync(program, rest, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
const tool = (/** @type {string} */ path, /** @type {string[]} */ ...rest) => execFileSync(process.execPath, [join("node_modules", path), ...rest], { stdio: "inherit" });
const expect = (/** @type {boolean} */ good, /** @type {string} */ words) => {
  if (!good) throw new Error(words);
};

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
run("npm", "run", "build");
const [packed] = JSON.parse(run("npm", "pack", "--json", "--pack-destination", folder));
const tarball = join(folder, packed.filename);
const files = packed.files.map((/** @type {{ path: string }} */ file) => file.path);
say(`${packed.filename}: ${packed.size} bytes, ${files.length} files`);

expect(packed.version === version, `package.json has version ${packed.version}, the library ${version}`);
for (const needed of ["LICENSE", "dist/index.js", "dist/index.d.ts", "wgsl/scatter.wgsl"]) expect(files.includes(needed), `the package lacks ${needed}`);
for (const file of files) expect(!/^(src|test|demo|node_modules)\//.test(file), `the package carries ${file}`);
const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
expect(dependencies === undefined, "the package has run-time dependencies");
const gzipped = gzipSync(readFileSync("dist/index.js")).length;
say(`dist/index.js: ${gzipped} bytes gzipped`);
expect(gzipped < mostGzippedBytes, `dist/index.js has ${gzipped} bytes gzipped, the limit is ${mostGzippedBytes}`);

tool("publint/src/cli.js", tarball, "--strict");
tool("@arethetypeswrong/cli/dist/index.js", tarball, "--profile", "esm-only", "--exclude-entrypoints", "wgsl");
// Imports where there is no GPU and no navigator, and waits for nothing.
const imported = run(process.execPath, "--input-type=module", "-e", "delete globalThis.navigator; console.log((await import('./dist/index.js')).version)").trim();
expect(imported === version, `the built module says ${imported}`);

const project = join(folder, "project");
const put = (/** @type {string} */ name, /** @type {string} */ text) => writeFileSync(join(project, name), text);
mkdirSync(project);
put("package.json", JSON.stringify({ name: "project", private: true, type: "module" }));
put("tsconfig.json", JSON.stringify({ compilerOptions: { module: "ESNext", moduleResolution: "bundler", target: "ES2022", lib: ["ES2022", "DOM"], types: [], strict: true, noEmit: true }, files: ["main.ts"] }));
put("main.ts", readFileSync("../examples/npm.ts", "utf8"));
run("npm", "install", "--prefix", project, "--offline", "--no-audit", "--no-fund", tarball);
tool("typescript/bin/tsc", "-p", project);
const { build } = await import("vite");
await build({ root: project, configFile: false, logLevel: "error", build: { target: "es2022", lib: { entry: "main.ts", formats: ["es"], fileName: "main" } } });
const sorted = run(process.execPath, join(project, "dist", "main.js")).trim();
expect(sorted === "-1 2 NaN 0 2 1", `the project's bundle sorts into ${sorted}`);
