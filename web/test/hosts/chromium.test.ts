// The checks in headless Chromium, on its own Vulkan driver for the CPU.
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type Page } from "playwright-core";
import { createServer, type ViteDevServer } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checks, longChecks } from "../checks.ts";

// Each of the four is needed: without one there is no adapter, or the device is lost at the first canvas.
const flags = ["--enable-unsafe-webgpu", "--enable-features=Vulkan", "--use-vulkan=swiftshader", "--use-angle=swiftshader"];
const quiet = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

let server: ViteDevServer | undefined;
let browser: Browser | undefined;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  const executablePath = process.env["LANESORT_CHROMIUM"];
  if (executablePath === undefined) throw new Error("LANESORT_CHROMIUM does not name a Chromium");
  server = await createServer({ root: fileURLToPath(new URL("../..", import.meta.url)), logLevel: "error", server: { host: "127.0.0.1", port: 0, strictPort: false, hmr: false } });
  await server.listen();
  browser = await chromium.launch({ executablePath, headless: true, args: [...quiet, ...flags] });
  page = await browser.newPage();
  page.on("console", (message) => void (message.type() === "error" && complaints.push(message.text())));
  page.on("pageerror", (error) => void complaints.push(String(error)));
  const address = server.httpServer?.address();
  if (address === null || typeof address !== "object") throw new Error("the server has no port");
  await page.goto(`http://127.0.0.1:${address.port}/test/hosts/page.html`);
  await page.waitForFunction("globalThis.runCheck", undefined, { timeout: 30_000 }).catch((error: unknown) => {
    throw new Error(`the page did not start: ${complaints.join("; ")}`, { cause: error });
  });
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

for (const name of Object.keys({ ...checks, ...longChecks })) {
  test(name, async () => {
    complaints.length = 0;
    await page.evaluate((check) => globalThis.runCheck(check), name);
    expect(complaints).toEqual([]);
  });
}
