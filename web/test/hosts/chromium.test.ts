// The checks in headless Chromium, on its own Vulkan driver for the CPU.
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { createServer, type ViteDevServer } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checks } from "../checks.ts";
import { complaintsOf, launchChromium } from "./browser.ts";

let server: ViteDevServer | undefined;
let browser: Browser | undefined;
let page: Page;
let complaints: string[] = [];

beforeAll(async () => {
  server = await createServer({ root: fileURLToPath(new URL("../..", import.meta.url)), logLevel: "error", server: { host: "127.0.0.1", port: 0, strictPort: false, hmr: false } });
  await server.listen();
  browser = await launchChromium();
  page = await browser.newPage();
  complaints = complaintsOf(page);
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

for (const name of Object.keys(checks)) {
  test(name, async () => {
    complaints.length = 0;
    await page.evaluate((check) => globalThis.runCheck(check), name);
    expect(complaints).toEqual([]);
  });
}
