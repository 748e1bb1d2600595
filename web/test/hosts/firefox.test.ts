// The built page in Firefox (LANESORT_FIREFOX: its program), on the Vulkan driver that the environment names. Another
// implementation of WebGPU, and no part of CI: the download and a driver for the CPU take minutes.
import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { buildSite, serveSite } from "./site.ts";

const program = process.env["LANESORT_FIREFOX"];
const folder = mkdtempSync(join(tmpdir(), "lanesort-firefox-"));
const site = join(folder, "site");
const profile = join(folder, "profile");
let server: Server | undefined;
let firefox: ChildProcess | undefined;

// WebGPU on any driver, and no calls home.
const preferences: Record<string, unknown> = {
  "dom.webgpu.enabled": true, "gfx.webgpu.ignore-blocklist": true, "gfx.webgpu.force-enabled": true,
    "security.sandbox.gpu.level": 0,
  "app.update.enabled": false, "datareporting.policy.dataSubmissionEnabled": false,
    "browser.shell.checkDefaultBrowser": false,
  "network.captive-portal-service.enabled": false, "network.connectivity-service.enabled": false,
    "services.settings.server": "http://127.0.0.1:9/",
};

afterAll(() => {
  if (firefox?.pid !== undefined) process.kill(-firefox.pid);
  server?.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

test.skipIf(program === undefined)("bench, files, viewer and a lost device", async () => {
  await buildSite(site);
  const script = readFileSync(fileURLToPath(new URL("firefox_script.js", import.meta.url)), "utf8");
  const said = new Promise<string>((resolve) => void serveSite(site,
    { script, said: resolve }).then(({ address, server: made }) => {
    server = made;
    mkdirSync(profile);
    writeFileSync(join(profile, "user.js"),
      Object.entries(preferences).map(([name,
      value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`).join(""));
    firefox = spawn(program!, ["--headless", "--no-remote", "--profile", profile, `${address}#bench`],
      { detached: true, stdio: "ignore", env: { ...process.env, HOME: profile } });
  }));
  const seen = JSON.parse(await said) as Record<string, string>;
  console.log(seen["browser"]);
  expect(seen).toMatchObject({ complaints: [], bench: "Done: 3 of 3 sorts verified.", viewer: "drawn" });
  expect(seen["file"]).toMatch(/4 numbers as f64, ascending, verified/);
  expect(seen["loss"]).toMatch(/device was lost/);
}, 400_000);
