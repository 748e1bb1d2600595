// The web package as a server for web.py: bundled as its users get it, on one device of the Vulkan driver that the
// environment names. A request is a line of JSON and `bytes` bytes after it; so is an answer.
// node web.mjs <the package's folder> <a folder for the bundle>
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [web, folder] = process.argv.slice(2).map((path) => resolve(path));
const require = createRequire(join(web, "package.json"));
const load = (path) => import(pathToFileURL(path).href);
const canary = 0xa5;

async function bundle() {
  const { build } = await load(join(web, "node_modules/vite/dist/node/index.js"));
  const { version } = require("./package.json");
  await build({
    root: web, configFile: false, logLevel: "error", define: { LANESORT_VERSION: JSON.stringify(version) },
    build: { target: "es2022", outDir: folder, emptyOutDir: false, lib: { entry: join(web, "src/index.ts"), formats: ["es"], fileName: () => "index.mjs" } },
  });
  return load(join(folder, "index.mjs"));
}

const complaints = [];  // of the device, about the request at hand

async function openDevice() {
  const { create, globals } = await load(require.resolve("webgpu"));
  Object.assign(globalThis, globals);
  // Kept by the global object: when it is collected, the process crashes.
  globalThis.lanesortGpu = create([]);
  const adapter = await globalThis.lanesortGpu.requestAdapter();
  const named = `${adapter?.info.description} ${adapter?.info.device}`;
  if (!named.includes(process.env.LANESORT_EXPECT_DEVICE ?? "")) throw new Error(`the adapter is ${named}`);
  const device = await adapter.requestDevice({ requiredFeatures: adapter.features.has("subgroups") ? ["subgroups"] : [] });
  device.addEventListener("uncapturederror", ({ error }) => complaints.push(error.message));
  return device;
}

const made = { pipelines: 0, overrides: 0 };  // since the request began

// The device with a watch on what is made, and with other facts than its own: features, limits, adapterInfo.
function watched(device, facts) {
  const own = {
    createShaderModule(descriptor) {
      if (/\boverride\b/.test(descriptor.code.replace(/\/\/.*/g, ""))) ++made.overrides;
      return device.createShaderModule(descriptor);
    },
    createComputePipelineAsync(descriptor) {
      ++made.pipelines;
      return device.createComputePipelineAsync(descriptor);
    },
  };
  if (facts.features !== undefined) own.features = new Set(facts.features);
  if (facts.adapterInfo !== undefined) own.adapterInfo = facts.adapterInfo;
  if (facts.limits !== undefined) own.limits = new Proxy(device.limits, { get: (limits, name) => facts.limits[name] ?? limits[name] });
  return new Proxy(device, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return own[name];
      const value = target[name];
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

const library = await bundle();
const device = await openDevice();
const devices = new Map();
function deviceOf(facts = {}) {
  const key = JSON.stringify(facts);
  if (!devices.has(key)) devices.set(key, watched(device, facts));
  return devices.get(key);
}

function upload(bytes) {
  const buffer = device.createBuffer({ size: bytes.length, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC });
  device.queue.writeBuffer(buffer, 0, bytes);
  return buffer;
}

async function download(buffers) {
  const readers = buffers.map(({ size }) => device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST }));
  const encoder = device.createCommandEncoder();
  buffers.forEach((buffer, i) => encoder.copyBufferToBuffer(buffer, 0, readers[i], 0, buffer.size));
  device.queue.submit([encoder.finish()]);
  await Promise.all(readers.map((reader) => reader.mapAsync(GPUMapMode.READ)));
  const bytes = readers.map((reader) => Buffer.from(reader.getMappedRange().slice(0)));
  for (const buffer of [...readers, ...buffers]) buffer.destroy();
  return bytes;
}

function buffersOf({ operation, inPlace, segmentEnds }, { keys, values, keysOut, valuesOut, offsets }, take) {
  const outOf = (size) => upload(new Uint8Array(size).fill(canary));
  const buffers = { keys: upload(take(keys)) };
  if (operation === "topK") return { ...buffers, keysOut: outOf(keysOut), valuesOut: outOf(valuesOut) };
  if (operation !== "argsort" && !inPlace) buffers.keysOut = outOf(keys);
  if (operation === "sortPairs") buffers.values = upload(take(values));
  if (operation === "argsort" || (operation === "sortPairs" && !inPlace)) buffers.valuesOut = outOf(values);
  if (offsets !== undefined) buffers.segmentBegins = upload(take(offsets));
  if (segmentEnds) buffers.segmentEnds = upload(take(offsets));
  return buffers;
}

// One sorter, one encoding a run. Answers whole buffers, run after run: keys, keysOut, values, valuesOut, where there are any.
async function callSorter({ options, facts, runs, together }, take) {
  const sorter = await library.Sorter.create(deviceOf(facts), options);
  const { pipelines } = made;
  const all = [];
  try {
    for (const run of runs) {
      const buffers = buffersOf(options, run, take);
      all.push(...Object.values(buffers));
      const encoder = device.createCommandEncoder();
      const given = run.offset === undefined ? buffers : { ...buffers, keys: { buffer: buffers.keys, offset: run.offset } };
      sorter.encode(encoder, { ...given, count: run.count });
      device.queue.submit([encoder.finish()]);
      if (!together) await device.queue.onSubmittedWorkDone();
    }
    return { bytes: await download(all), pipelines, explain: sorter.explain() };
  } finally {
    sorter.destroy();
  }
}

// All arrays at once. Answers for each its result (of a top-k keys and indices), and then the memory that it lies in.
async function callArray({ array, argsort, k, options, parts }, take) {
  const topK = async (values, how) => {
    const { keys, indices } = await library.topKTypedArray(values, k, how);
    return Buffer.concat([keys, indices].map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength)));
  };
  const sort = k !== undefined ? topK : argsort ? library.argsortTypedArray : library.sortTypedArray;
  const bytes = await Promise.all(parts.map(async ({ bytes, offset, count }) => {
    const memory = Uint8Array.from(take(bytes)).buffer;
    const result = await sort(new globalThis[array](memory, offset, count), options.backend === "gpu" ? { ...options, device: deviceOf() } : options);
    return [Buffer.from(result.buffer, result.byteOffset, result.byteLength), Buffer.from(memory)];
  }));
  return { bytes: bytes.flat() };
}

async function answer(request, payload) {
  let at = 0;
  const take = (bytes) => payload.subarray(at, (at += bytes));
  Object.assign(made, { pipelines: 0, overrides: 0 });
  complaints.length = 0;
  try {
    const { bytes, ...facts } = await (request.call === "array" ? callArray : callSorter)(request, take);
    await device.queue.onSubmittedWorkDone();
    if (complaints.length > 0) throw new Error(`the device complains: ${complaints.join("; ")}`);
    return [{ overrides: made.overrides, ...facts }, Buffer.concat(bytes)];
  } catch (error) {
    return [{ error: String(error) }, Buffer.alloc(0)];
  }
}

process.stdout.write(`${JSON.stringify({ ready: library.version })}\n`);
let rest = Buffer.alloc(0);
let header;
for await (const chunk of process.stdin) {
  rest = Buffer.concat([rest, chunk]);
  for (;;) {
    if (header === undefined) {
      const end = rest.indexOf("\n");
      if (end < 0) break;
      header = JSON.parse(rest.subarray(0, end).toString());
      rest = rest.subarray(end + 1);
    }
    if (rest.length < header.bytes) break;
    const [words, bytes] = await answer(header, rest.subarray(0, header.bytes));
    process.stdout.write(JSON.stringify({ ...words, bytes: bytes.length }) + "\n");
    process.stdout.write(bytes);
    rest = rest.subarray(header.bytes);
    header = undefined;
  }
}
device.destroy();
delete globalThis.lanesortGpu;
