// The built page in headless Chromium: tabs, colours, sizes, the states without a device, bench, files and doctor.
// LANESORT_SHOTS names a folder for pictures of it.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { complaintsOf, launchChromium } from "./browser.ts";
import { buildSite, serveSite } from "./site.ts";

const shots = process.env["LANESORT_SHOTS"];
const site = mkdtempSync(join(tmpdir(), "lanesort-page-"));
const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true,
  deviceScaleFactor: 2 };
let server: Server | undefined;
let address = "";
let browser: Browser | undefined;
let page: Page;  // one device for all that sorts: a software driver compiles for seconds
let complaints: string[] = [];

beforeAll(async () => {
  await buildSite(site);
  ({ server, address } = await serveSite(site));
  browser = await launchChromium();
  ({ page, complaints } = await open(browser, "#bench",
    { colorScheme: "dark", viewport: { width: 1280, height: 900 } }));
});
afterAll(async () => {
  await browser?.close();
  server?.close();
  rmSync(site, { recursive: true, force: true });
});

interface Opened {
  page: Page;
  complaints: string[];
}

async function open(host: Browser, hash: string, options: BrowserContextOptions = {},
  before?: () => void): Promise<Opened> {
  const context = await host.newContext({ acceptDownloads: true, ...options });
  if (before !== undefined) await context.addInitScript(before);
  const opened = await context.newPage();
  const heard = complaintsOf(opened);
  await opened.goto(address + hash);
  return { page: opened, complaints: heard };
}

async function shoot(of: Page, name: string): Promise<void> {
  if (shots === undefined) return;
  mkdirSync(shots, { recursive: true });
  await of.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
}

const words = async (of: Page, selector: string): Promise<string> => (await of.textContent(selector)) ?? "";
const chosen = async (of: Page): Promise<string | null> => of.getAttribute('[role="tab"][aria-selected="true"]', "id");
const trouble = async (of: Page): Promise<string> => words(of, '.panel:not([hidden]) [role="alert"]');
const ground = async (of: Page): Promise<string> => of.evaluate(() => getComputedStyle(document.body).backgroundColor);

/** Things that stick out sideways, and things too small for a finger. */
async function misfits(of: Page): Promise<string[]> {
  return of.evaluate(() => {
    const found: string[] = [];
    const wide = document.scrollingElement!.scrollWidth;
    if (wide > innerWidth) found.push(`the page is ${wide} wide of ${innerWidth}`);
    for (const one of document.querySelectorAll<HTMLElement>("button, select, summary, .links a, .check")) {
      const { width, height } = one.getBoundingClientRect();
      if (one.checkVisibility() && (width < 44 || height < 44)) found.push(`${one.textContent}: ${width} x ${height}`);
    }
    return found;
  });
}

// Of one workgroup, and nothing else below: each further kernel is compiled for seconds by a driver for the CPU.
const items = 256;

async function benchOf256(of: Page, without: string[]): Promise<void> {
  await of.selectOption("[name=from]", String(items));
  await of.selectOption("[name=to]", String(items));
  for (const name of without) await of.uncheck(`[name=${name}]`);
  await of.click("#bench-run");
  await of.waitForFunction(() => /^(Done|Stopped)/.test(document.querySelector("#bench-status")?.textContent ?? ""),
    undefined, { timeout: 60_000 });
}

test("the bench sorts, proves, and draws no chart of a software driver", async () => {
  await page.waitForSelector("#bench-run");
  expect(await words(page, "#bench-note")).toMatch(/software adapter.*no chart/);
  await benchOf256(page, ["sortPairs"]);
  expect(await words(page, "#bench-status")).toBe("Done: 2 of 2 sorts verified.");
  expect(await page.$$("#bench-chart svg")).toEqual([]);
  expect(await words(page, "#bench-rows")).toMatch(/TypedArray\.sort.*not timed.*verified/);
  await shoot(page, "bench-software");
});

test("the results file is schema 1, with no time in it", async () => {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Save JSON")]);
  const results = JSON.parse(readFileSync(await download.path(),
    "utf8")) as { schema: number; environment: object; notes: string[]; rows: Record<string, unknown>[] };
  expect(results.schema).toBe(1);
  expect(Object.keys(results.environment).sort()).toEqual(["clock", "commit", "compiler", "copy_bytes_per_s", "date",
    "device", "driver", "isa", "load_average", "threads"]);
  expect(results.rows.map(({ op, count }) => [op, count])).toEqual([["sort", items], ["argsort", items]]);
  for (const row of results.rows) {
    expect(Object.keys(row).sort()).toEqual(["backend", "bits", "copy_share", "count", "engine", "fault", "form", "key",
      "keys_per_s", "median_s", "op", "order", "pattern",
      "q1_s", "q3_s", "rivals", "samples", "value_bytes", "verified"]);
    expect(row).toMatchObject({ backend: "webgpu", key: "u32", verified: true, fault: null, median_s: null,
      keys_per_s: null });
    expect(row["rivals"]).toMatchObject([{ verified: true, fault: null, median_s: null, samples: 0 }]);
  }
});

async function dropFile(name: string, content: string | Uint8Array): Promise<void> {
  const bytes = [...(typeof content === "string" ? new TextEncoder().encode(content) : content)];
  await page.evaluate(({ name, bytes }) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(bytes)], name));
    document.querySelector("#drop")!.dispatchEvent(new DragEvent("drop",
      { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, { name, bytes });
  await page.waitForSelector("#file-outcome .good, #file-outcome .bad");
}

async function downloaded(): Promise<{ name: string; content: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#file-outcome button")]);
  return { name: download.suggestedFilename(), content: readFileSync(await download.path()) };
}

test("dropped files come back sorted, in their format", async () => {
  const falling = Array.from({ length: items }, (_, i) => String(items - i));
  await dropFile("n.txt", `${falling.join("\n")}\n`);
  expect(await words(page, "#file-outcome")).toMatch(/256 numbers as i32, ascending, verified.*software adapter/);
  await shoot(page, "file");
  expect(await downloaded()).toEqual({ name: "n.sorted.txt",
    content: Buffer.from(`${[...falling].reverse().join("\n")}\n`) });
  await page.check("[name=descending]");
  await dropFile("n.json", `[${[...falling].reverse().join(",")}]`);
  expect(await downloaded()).toEqual({ name: "n.sorted.json", content: Buffer.from(`[${falling.join(", ")}]\n`) });
  await page.uncheck("[name=descending]");
  const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${items},), }\n`;
  const npy = (numbers: number[]): Buffer => Buffer.concat([Buffer.from("\x93NUMPY\x01\x00", "latin1"),
    Buffer.from([header.length, 0]), Buffer.from(header), Buffer.from(Float32Array.from(numbers).buffer)]);
  const numbers = Array.from({ length: items - 2 }, (_, i) => i / 4);
  await dropFile("n.npy", npy([NaN, ...[...numbers].reverse(), -1]));
  expect(await downloaded()).toEqual({ name: "n.sorted.npy", content: npy([-1, ...numbers, NaN]) });
  await dropFile("n.json", "[1, two]");
  expect(await words(page,
    "#file-outcome")).toBe('n.json was not sorted. line 1, column 5: "two" is not a number: JSON knows decimal numbers alone: no words, no text, nothing nested');
});

test("a run is cancelled at once", async () => {
  for (const end of ["from", "to"]) await page.selectOption(`[name=${end}]`, String(2 ** 22));
  await page.click("#bench-run");  // begins with the rival, long before the GPU has anything to do
  await page.waitForFunction(() => /^1 of/.test(document.querySelector("#bench-status")?.textContent ?? ""));
  await page.click("text=Cancel");
  await page.waitForFunction(() => /^Cancelled: 0/.test(document.querySelector("#bench-status")?.textContent ?? ""),
    undefined, { timeout: 5000 });
  expect(await page.isEnabled("#bench-run")).toBe(true);
  for (const end of ["from", "to"]) await page.selectOption(`[name=${end}]`, String(items));
});

test("a driver that runs kernels wrongly is found out", async () => {
  await page.evaluate(() => {
    const { dispatchWorkgroups } = GPUComputePassEncoder.prototype;
    let mended = false;  // once it was found out
    GPUComputePassEncoder.prototype.dispatchWorkgroups = function (...groups): undefined {
      mended ||= document.querySelector("#doctor-failures p") !== null;
      if (mended) dispatchWorkgroups.apply(this, groups);
    };
  });
  await page.click("#bench-run");
  await page.waitForFunction(() => /^Done/.test(document.querySelector("#bench-status")?.textContent ?? ""));
  expect(await words(page,
    "#bench-status")).toBe("Done: 0 of 2 sorts verified; the table says what is wrong with the others.");
  expect(await words(page, "#bench-rows")).toMatch(/keys, auto.*not timed.*WRONG place 0 has key 0/);
  await dropFile("n.json", `[${Array.from({ length: items }, (_, i) => i + 1).join()}]`);
  expect(await words(page, "#file-outcome")).toMatch(/not sorted.*nothing is handed out/);
  await page.click("#tab-doctor");
  await page.click("text=Run the self-test");
  await page.waitForSelector("#doctor-failures p");
  expect(await words(page,
    "#doctor-failures p")).toMatch(/keys u32, 250 items.*sorted wrongly \(seed \d+\): place.*To mend it: .*Update the GPU’s driver/);
});

test("the doctor says what is here and tests it", async () => {
  expect(await words(page, "#panel-doctor")).toMatch(/software: right, and slow/);
  expect(await words(page, "#panel-doctor")).toMatch(/maxStorageBufferBindingSize.*argsort f32.*reduce then scan/);
  await page.waitForFunction(() => Number(/^\d+/.exec(document.querySelector("#doctor-summary")?.textContent ?? "")?.[0]) >= 4, undefined, { timeout: 60_000 });
  await page.click('button:text("Stop")');
  await page.waitForFunction(() => /failed/.test(document.querySelector("#doctor-summary")?.textContent ?? ""));
  await page.click("text=Copy the report");
  await page.waitForSelector("text=/Copied|forbids/");
  expect(await words(page,
    "pre")).toMatch(/self-test, seed \d+: 1 of \d+ sorts failed.*\n.*WRONG {2}keys u32, 250 items.*\n.*good {2}pairs u32, 250 items/);
});

test("tabs go by the mouse, by keys and by the address", async () => {
  const arrives = async (name: string): Promise<void> => void (await page.waitForSelector(`#tab-${name}[aria-selected=true]`));
  expect([await chosen(page), new URL(page.url()).hash, await page.isVisible("#panel-bench")]).toEqual(["tab-doctor",
    "#doctor", false]);
  await page.focus("#tab-doctor");
  await page.keyboard.press("ArrowLeft");
  await arrives("bench");
  expect([await page.evaluate(() => document.activeElement?.id),
    await page.isVisible("#bench-run")]).toEqual(["tab-bench", true]);
  await page.goBack();
  await arrives("doctor");
  expect(await page.title()).toMatch(/^Doctor/);
  await page.click("#tab-bench");
});

const pretended = "a GPU that a test pretends";

test("a lost device is told of, and another is opened", async () => {
  // The next device says that it is no software: the chart's picture is looked at, its times are not.
  await page.evaluate((description) => {
    const info = { vendor: "", architecture: "", device: "", description, isFallbackAdapter: false, subgroupMinSize: 4,
      subgroupMaxSize: 4 };
    Object.defineProperty(GPUAdapter.prototype, "info", { get: () => info });
  }, pretended);
  await page.evaluate("lanesort.device.destroy()");
  await page.waitForSelector('[role="alert"]');
  expect(await trouble(page)).toMatch(/device was lost.*destroyed.*Open a new device/);
  await shoot(page, "lost");
  await page.click('button:text("Open a new device")');
  await page.waitForSelector("#bench-run");
  expect(await page.$('[role="alert"]')).toBeNull();
  expect(complaints).toEqual([]);
});

test("on a GPU there is a chart of what was verified", async () => {
  expect(await words(page, "#panel-bench")).toContain(pretended);
  await benchOf256(page, ["sortPairs", "argsort"]);
  expect(await words(page, "#bench-status")).toBe("Done: 1 of 1 sorts verified.");
  expect(await page.getAttribute("#bench-chart svg.chart[role=img]",
    "aria-label")).toMatch(/keys, auto: .* at 256\. keys, CPU/);
  expect(await page.$$("#bench-chart svg[role=img] .mark")).toHaveLength(2);
  await shoot(page, "bench-chart");
});

test("dark and light are the system's, until they are chosen", async () => {
  const dark = await ground(page);
  await page.emulateMedia({ colorScheme: "light" });
  const light = await ground(page);
  expect(light).not.toBe(dark);
  await page.click("#theme");
  expect(await ground(page)).toBe(dark);
  expect(await page.evaluate(() => localStorage.getItem("lanesort-theme"))).toBe("dark");
  await page.click("#theme");
  expect(await ground(page)).toBe(light);
  expect(await page.evaluate(() => localStorage.getItem("lanesort-theme"))).toBeNull();
});

test("it fits a phone", async () => {
  await page.setViewportSize(phone.viewport!);
  await page.waitForFunction(() => document.querySelector("#bench-chart svg[role=img]")!.getBoundingClientRect().width < innerWidth);
  for (const tab of ["bench", "doctor"]) {
    await page.click(`#tab-${tab}`);
    await page.waitForSelector(tab === "bench" ? "#bench-run" : "#doctor-summary");
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await misfits(page), tab).toEqual([]);
      await shoot(page, `${tab}-phone-${colorScheme}`);
    }
  }
  expect(complaints).toEqual([]);
});

test("what stands in the way of a device is said in words", async () => {
  const after = async (press: string): Promise<string> => {
    await page.click(`.panel:not([hidden]) button:text("${press}")`);
    await page.waitForFunction(() => document.querySelector(".waiting") === null);
    return trouble(page);
  };
  await page.evaluate(() => {
    const limits = new Proxy({}, { get: (_, name) => (name === "maxStorageBuffersPerShaderStage" ? 4 : 65536) });
    Object.defineProperty(GPUAdapter.prototype, "limits", { get: () => limits, configurable: true });
    (globalThis as unknown as { lanesort: { device: GPUDevice } }).lanesort.device.destroy();
  });
  await page.waitForSelector('.panel:not([hidden]) [role="alert"]');
  expect(await after("Open a new device")).toMatch(/limits are too small.*storage buffers of a shader stage.*Needed: 8.*limit: 4/);
  await page.evaluate(() => {
    const limits = new Proxy({}, { get: (_, name) => (String(name).startsWith("max") ? 2 ** 20 : 256) });
    Object.defineProperty(GPUAdapter.prototype, "limits", { get: () => limits, configurable: true });
  });
  expect(await after("Try again")).toMatch(/limits are too small.*bytes of one buffer binding.*Needed: 8388608.*limit: 1048576/);
  await page.click("#tab-viewer");
  await page.waitForSelector('#panel-viewer [role="alert"]');
  expect(await trouble(page)).toMatch(/limits are too small/);
  await shoot(page, "small-limits-phone");
  await page.evaluate(() => {
    const large = new Proxy({}, { get: (_, name) => (String(name).startsWith("max") ? 2 ** 28 : 256) });
    Object.defineProperty(GPUAdapter.prototype, "limits", { get: () => large });
    GPUAdapter.prototype.requestDevice = () => Promise.reject(new Error("no more"));
  });
  expect(await after("Try again")).toMatch(/gave no device.*requestDevice failed: no more/);
  await page.evaluate(() => void (GPU.prototype.requestAdapter = () => Promise.resolve(null)));
  expect(await after("Try again")).toMatch(/found no GPU adapter/);
  await page.evaluate(() => void Reflect.deleteProperty(Navigator.prototype, "gpu"));
  expect(await after("Try again")).toMatch(/This browser has no WebGPU.*What helps.*Chrome/);
  await page.click("#tab-doctor");
  await page.waitForSelector('#panel-doctor [role="alert"]');
  expect(await words(page, "#panel-doctor")).toMatch(/no WebGPU.*navigator\.gpumissing/);
  await shoot(page, "no-webgpu-phone");
  expect(complaints).toEqual([]);
});

test("an insecure page is told of https", async () => {
  const opened = await open(browser!, "#viewer", { colorScheme: "light" }, () => {
    Reflect.deleteProperty(Navigator.prototype, "gpu");
    Object.defineProperty(globalThis, "isSecureContext", { value: false });
  });
  await opened.page.waitForSelector('[role="alert"]');
  expect(await trouble(opened.page)).toMatch(/switched off on this address.*https/);
  await shoot(opened.page, "insecure");
  expect(opened.complaints).toEqual([]);
});

test("a browser without an adapter says so", async () => {
  const bare = await launchChromium(false);
  try {
    const opened = await open(bare, "#bench", phone);
    await opened.page.waitForSelector('[role="alert"]');
    expect(await trouble(opened.page)).toMatch(/found no GPU adapter.*hardware acceleration/);
    await shoot(opened.page, "no-adapter-phone");
    expect(opened.complaints).toEqual([]);
  } finally {
    await bare.close();
  }
});
