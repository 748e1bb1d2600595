// The viewer of the built page in headless Chromium: what it shows, and what hands, keys and files do to it.
// LANESORT_SHOTS names a folder for pictures of it.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { complaintsOf, launchChromium } from "../../../test/hosts/browser.ts";
import { buildSite, serveSite } from "../../../test/hosts/site.ts";
import { random } from "../random.ts";
import type { Splat } from "../scene.ts";
import { sorterChoices } from "../sorters.ts";
import { plyOf, splatFileOf } from "./files.ts";

const patience = 50_000;  // milliseconds: nothing that is right takes as long, even on a driver for the CPU that is shared
const shots = process.env["LANESORT_SHOTS"];
const site = mkdtempSync(join(tmpdir(), "lanesort-viewer-"));
let server: Server | undefined;
let address = "";
let browser: Browser | undefined;
let page: Page;  // one device for most: a software driver compiles for seconds
let complaints: string[] = [];

beforeAll(async () => {
  await buildSite(site);
  ({ server, address } = await serveSite(site));
  browser = await launchChromium();
  ({ page, complaints } = await open("#viewer?scene=synthetic&n=1500&turn=0", { colorScheme: "dark", viewport: { width: 860, height: 480 } }));
});
afterAll(async () => {
  await browser?.close();
  server?.close();
  rmSync(site, { recursive: true, force: true });
});

const withReadings = ".viewer-readings div:last-child dd:not(:text('…'))";

async function open(hash: string, options: BrowserContextOptions, ready = withReadings): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser!.newContext(options);
  const opened = await context.newPage();
  const heard = complaintsOf(opened);
  await opened.goto(address + hash);
  await opened.waitForSelector(ready, { timeout: patience });
  return { page: opened, complaints: heard };
}

async function shoot(of: Page, name: string): Promise<void> {
  if (shots === undefined) return;
  mkdirSync(shots, { recursive: true });
  await of.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
}

/** What is on the screen of the stage's middle, between readings and buttons, within the outline of focus: 40 x 40 means of red, green, blue. */
async function picture(of = page): Promise<number[]> {
  const box = (await of.locator(".viewer-canvas").boundingBox())!;
  const margin = 0.3 * box.height;
  const png = await of.screenshot({ clip: { x: box.x + 8, y: box.y + margin, width: box.width - 16, height: box.height - 2 * margin } });
  return of.evaluate(async (base64) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
    const context = new OffscreenCanvas(40, 40).getContext("2d")!;
    context.drawImage(image, 0, 0, 40, 40);
    return [...context.getImageData(0, 0, 40, 40).data].filter((_, at) => at % 4 !== 3);
  }, png.toString("base64"));
}

const apart = (a: number[], b: number[]): number => a.reduce((sum, part, at) => sum + Math.abs(part - b[at]!), 0) / a.length;

async function until<T>(get: () => Promise<T>, good: (value: T) => boolean, what: string): Promise<T> {
  const end = Date.now() + patience;
  for (;;) {
    const value = await get();
    if (good(value)) return value;
    if (Date.now() > end) throw new Error(`not in time: ${what}; it is ${JSON.stringify(value).slice(0, 200)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
// Of 255 in the mean: two frames of one picture, and pictures of which one is another.
const [same, other] = [0.3, 1];
const changes = (from: number[], what: string, of = page): Promise<number[]> => until(() => picture(of), (now) => apart(now, from) > other, what);
const stays = async (from: number[], what: string): Promise<void> => void (await until(async () => apart(await picture(), from), (by) => by < same, what));

const words = async (selector: string, of = page): Promise<string> => (await of.textContent(selector)) ?? "";
const chosen = (of = page): Promise<string> => of.evaluate(() => document.querySelector<HTMLInputElement>("[name=viewer-sorter]:checked")!.value);
const reading = (name: string): Promise<string> =>
  page.evaluate((label) => [...document.querySelectorAll(".viewer-readings div")].find((row) => row.firstChild!.textContent === label)!.lastChild!.textContent!, name);

let sorted: number[] = [];

test("it shows a scene", async () => {
  sorted = await until(() => picture(), (now) => new Set(now).size > 100, "a picture of many colours");
  expect(await reading("Seen")).toMatch(/^1,\d{3} of 1,500$/);
  expect(await words(".viewer-scene")).toContain("synthetic (1,500)");
  await page.click("text=What runs");
  expect(await words(".viewer-explanation")).toMatch(/sort_pairs of at most 1500 keys/);
  await page.click("text=What runs");
  await shoot(page, "viewer-dark");
});

test("each sorter shows the same picture, but none", async () => {
  for (const [i, { name, label }] of sorterChoices.entries()) {
    if (i % 2 === 0) await page.click(`label:has([value=${name}])`);
    else await page.keyboard.press(String(i + 1));
    await until(() => chosen(), (now) => now === name, `${label} is chosen`);
    if (name === "unsorted") {
      await changes(sorted, "the picture without an order");
      expect(await reading("Sort")).toBe("none");
      await shoot(page, "viewer-unsorted");
    } else {
      await until(() => reading("Sort"), (now) => (name === "cpu" ? /on the CPU, \d+ frames late/ : /^\d.* on the GPU/).test(now), `the time of ${label}`);
      await stays(sorted, `the picture of ${label}`);
    }
  }
  await page.keyboard.press("3");
  await stays(sorted, "the picture in order again");
  expect(new URL(page.url()).hash).toBe("#viewer?scene=synthetic&n=1500&sorter=reduceThenScan&turn=0");
});

test("mouse, wheel and keys move it", async () => {
  const box = (await page.locator(".viewer-canvas").boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 80, y + 10);
  await page.mouse.up();
  let now = await changes(sorted, "a drag turns it");
  await page.mouse.wheel(0, -240);
  now = await changes(now, "the wheel zooms");
  await page.focus(".viewer-canvas");
  for (const key of ["ArrowLeft", "Shift+ArrowUp", "-", "f", "f", "r"]) {
    await page.keyboard.press(key);
    now = await changes(now, `${key} moves it`);
  }
  await stays(sorted, "r shows the whole scene again");
  await page.keyboard.press(" ");
  expect(await words(".viewer-tools button")).toBe("Stop");
  now = await changes(sorted, "it turns by itself");
  await page.keyboard.press(" ");
  expect(await words(".viewer-tools button")).toBe("Turn");
});

async function drop(name: string, bytes: ArrayBuffer): Promise<void> {
  await page.evaluate(({ name, bytes }) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(bytes)], name));
    const events = ["dragover", "drop"].map((type) => new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    document.querySelector(".viewer-canvas")!.dispatchEvent(events[0]!);
    document.querySelector(".viewer-canvas")!.dispatchEvent(events[1]!);
  }, { name, bytes: [...new Uint8Array(bytes)] });
}

test("dropped and opened files are shown, bad ones are refused in words", async () => {
  const next = random(5);
  const splats: Splat[] = Array.from({ length: 300 }, () => ({
    position: [next(), next(), next()], scale: [0.1, 0.03, 0.03], rotation: [next(), next(), next(), next()], colour: [1, next(), 0.1, 0.9],
  }));
  const shown = (text: string): Promise<string> => until(() => words(".viewer-scene option"), (now) => now === text, text);
  let now = await picture();
  await drop("made.splat", splatFileOf(splats));
  await shown("made.splat (300)");
  now = await changes(now, "the dropped .splat");
  await drop("cut.splat", splatFileOf(splats).slice(0, 100));
  expect(await until(() => words(".viewer-side > .note[role=status]:not(.viewer-reason)"), (said) => said !== "", "words")).toMatch(/^cut\.splat: bytes .* \(is 100\): it is cut off/);
  await shoot(page, "viewer-refusal");
  await stays(now, "what was shown stays");
  await page.setInputFiles(".viewer-scene input[type=file]", { name: "made.ply", mimeType: "", buffer: Buffer.from(plyOf(splats.slice(0, 60), { harmonics: 9 })) });
  await shown("made.ply (60)");
  await changes(now, "the opened .ply");
  expect(await page.isHidden(".viewer-side > .note[role=status]:not(.viewer-reason)")).toBe(true);
  await page.selectOption(".viewer-scene select", "20000");
  await until(() => reading("Seen"), (text) => text.endsWith(" of 20,000"), "the synthetic scene");
});

test("a device that is lost is the shell's to tell of", async () => {
  await page.evaluate("lanesort.device.destroy()");
  await page.waitForSelector('#panel-viewer [role="alert"]');
  expect(complaints).toEqual([]);
});

test("the chunk sort is refused in words above its limit", async () => {
  const many = await open("#viewer?n=262145&turn=0&sorter=chunk", { viewport: { width: 320, height: 480 } }, ".viewer-reason:not([hidden])");
  expect(await words(".viewer-reason", many.page)).toBe("Chunk sort takes at most 262,144 splats and 262,145 are seen: choose a smaller scene, or look at a part of this one.");
  expect([await many.page.isDisabled("[value=chunk]"), await chosen(many.page)]).toEqual([true, "tuned"]);
  await many.page.context().close();
});

test("it fits a phone, and takes two fingers", async () => {
  const phone = await open("#viewer?n=1500&turn=0&sorter=cpu", { colorScheme: "light", viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true });
  const before = await until(() => picture(phone.page), (now) => new Set(now).size > 100, "a picture of many colours");
  const fingers = await phone.page.context().newCDPSession(phone.page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...xs: number[]) =>
    fingers.send("Input.dispatchTouchEvent", { type, touchPoints: xs.map((x, id) => ({ x, y: 300, id })) });
  await touch("touchStart", 150, 210);
  await touch("touchMove", 90, 270);
  await touch("touchEnd");
  await changes(before, "two fingers zoom", phone.page);
  const misfits = await phone.page.evaluate(() => [
    ...(document.scrollingElement!.scrollWidth > innerWidth ? [`the page is ${document.scrollingElement!.scrollWidth} wide`] : []),
    ...[...document.querySelectorAll<HTMLElement>(".viewer button, .viewer select, .viewer summary, .viewer-choices label")]
      .map((one) => ({ one, box: one.getBoundingClientRect() })).filter(({ box }) => box.width < 44 || box.height < 44).map(({ one, box }) => `${one.textContent} ${box.width} x ${box.height}`),
  ]);
  expect(misfits).toEqual([]);
  await shoot(phone.page, "viewer-phone-light");
  expect(phone.complaints).toEqual([]);
});
