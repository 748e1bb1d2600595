// The viewer of the built page in headless Chromium: what it shows, and what hands, keys and files do to it.
// LANESORT_SHOTS names a folder for pictures of it.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
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
let page: Page;  // one for all: a driver for the CPU compiles for seconds
let complaints: string[] = [];

beforeAll(async () => {
  await buildSite(site);
  ({ server, address } = await serveSite(site));
  browser = await launchChromium();
  page = await browser.newPage({ colorScheme: "dark", viewport: { width: 860, height: 440 }, hasTouch: true });
  complaints = complaintsOf(page);
  await page.goto(`${address}#viewer?scene=synthetic&n=500&turn=0`);
  await page.waitForSelector(".viewer-readings div:last-child dd:not(:text('…'))", { timeout: patience });
});
afterAll(async () => {
  await browser?.close();
  server?.close();
  rmSync(site, { recursive: true, force: true });
});

async function shoot(name: string): Promise<void> {
  if (shots === undefined) return;
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
}

/** What is on the screen of the stage's middle, without readings and buttons, within the outline of focus: 40 x 40 means of red, green, blue. */
async function picture(): Promise<number[]> {
  const box = (await page.locator(".viewer-canvas").boundingBox())!;
  const margin = 0.3 * box.height;
  const png = await page.screenshot({ style: ".viewer-readings, .viewer-foot { visibility: hidden }", clip: { x: box.x + 8, y: box.y + margin, width: box.width - 16, height: box.height - 2 * margin } });
  return page.evaluate(async (base64) => {
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
const changes = (from: number[], what: string): Promise<number[]> => until(() => picture(), (now) => apart(now, from) > other, what);
const stays = async (from: number[], what: string): Promise<void> => void (await until(async () => apart(await picture(), from), (by) => by < same, what));

const words = async (selector: string): Promise<string> => (await page.textContent(selector)) ?? "";
const chosen = (): Promise<string> => page.evaluate(() => document.querySelector<HTMLInputElement>("[name=viewer-sorter]:checked")!.value);
const reading = (name: string): Promise<string> =>
  page.evaluate((label) => [...document.querySelectorAll(".viewer-readings div")].find((row) => row.firstChild!.textContent === label)!.lastChild!.textContent!, name);

let sorted: number[] = [];

test("it shows a scene", async () => {
  sorted = await until(() => picture(), (now) => new Set(now).size > 100, "a picture of many colours");
  expect(await reading("Seen")).toMatch(/^[45]\d\d of 500$/);
  expect(await words(".viewer-scene")).toContain("synthetic (500)");
  await page.click("text=What runs");
  expect(await words(".viewer-explanation")).toMatch(/sort_pairs of at most 500 keys/);
  await page.click("text=What runs");
  await shoot("viewer-dark");
});

test("each sorter shows the same picture, but none", async () => {
  for (const [i, { name, label }] of sorterChoices.entries()) {
    if (i % 2 === 0) await page.click(`label:has([value=${name}])`);
    else await page.keyboard.press(String(i + 1));
    await until(() => chosen(), (now) => now === name, `${label} is chosen`);
    if (name === "unsorted") {
      await changes(sorted, "the picture without an order");
      expect(await reading("Sort")).toBe("none");
      await shoot("viewer-unsorted");
    } else {
      await until(() => reading("Sort"), (now) => (name === "cpu" ? /on the CPU, \d+ frames late/ : /^\d.* by a software driver/).test(now), `the time of ${label}`);
      await stays(sorted, `the picture of ${label}`);
    }
  }
  await page.keyboard.press("3");
  await stays(sorted, "the picture in order again");
  expect(new URL(page.url()).hash).toBe("#viewer?scene=synthetic&n=500&sorter=reduceThenScan&turn=0");
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
  expect(await until(() => words(".viewer-words"), (said) => said !== "", "words")).toMatch(/^cut\.splat: bytes .* \(is 100\): it is cut off/);
  await shoot("viewer-refusal");
  await stays(now, "what was shown stays");
  await page.setInputFiles(".viewer-scene input[type=file]", { name: "made.ply", mimeType: "", buffer: Buffer.from(plyOf(splats.slice(0, 60), { harmonics: 9 })) });
  await shown("made.ply (60)");
  await changes(now, "the opened .ply");
  expect(await page.isHidden(".viewer-words")).toBe(true);
  await page.keyboard.press("6");  // a driver for the CPU would compile the sort for so many for long
  await page.selectOption(".viewer-scene select", "20000");
  await until(() => reading("Seen"), (text) => text.endsWith(" of 20,000"), "the synthetic scene");
});

test("it fits a phone, and takes two fingers", async () => {
  await page.setViewportSize({ width: 360, height: 640 });
  await page.emulateMedia({ colorScheme: "light" });
  await page.evaluate(() => scrollTo(0, 0));
  const before = await until(() => picture(), (now) => new Set(now).size > 100, "a picture of many colours");
  const fingers = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...xs: number[]) =>
    fingers.send("Input.dispatchTouchEvent", { type, touchPoints: xs.map((x, id) => ({ x, y: 300, id })) });
  await touch("touchStart", 150, 210);
  await touch("touchMove", 90, 270);
  await touch("touchEnd");
  await changes(before, "two fingers zoom");
  const misfits = await page.evaluate(() => [
    ...(document.scrollingElement!.scrollWidth > innerWidth ? [`the page is ${document.scrollingElement!.scrollWidth} wide`] : []),
    ...[...document.querySelectorAll<HTMLElement>(".viewer button, .viewer select, .viewer summary, .viewer-choices label")]
      .map((one) => ({ one, box: one.getBoundingClientRect() })).filter(({ box }) => box.width < 44 || box.height < 44).map(({ one, box }) => `${one.textContent} ${box.width} x ${box.height}`),
  ]);
  expect(misfits).toEqual([]);
  await shoot("viewer-phone-light");
});

test("the chunk sort is refused in words above its limit", async () => {
  await page.evaluate(() => void (location.hash = "#viewer?n=262145&turn=0&sorter=unsorted"));
  await page.waitForSelector(".viewer-reason:not([hidden])", { timeout: patience });
  expect(await words(".viewer-reason")).toBe("Chunk sort takes at most 262,144 splats and 262,145 are seen: choose a smaller scene, or look at a part of this one.");
  expect([await page.isDisabled("[value=chunk]"), await chosen()]).toEqual([true, "unsorted"]);
});

test("a device that is lost is the shell's to tell of", async () => {
  await page.evaluate("lanesort.device.destroy()");
  await page.waitForSelector('#panel-viewer [role="alert"]');
  expect(complaints).toEqual([]);
});
