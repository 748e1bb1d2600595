// Headless Chromium on its own Vulkan driver for the CPU, or as it is, with no adapter at all.
import { chromium, type Browser, type Page } from "playwright-core";

// Each of the four is needed: without one there is no adapter, or the device is lost at the first canvas.
const flags = ["--enable-unsafe-webgpu", "--enable-features=Vulkan", "--use-vulkan=swiftshader",
  "--use-angle=swiftshader"];
const quiet = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];

export async function launchChromium(withGpu = true): Promise<Browser> {
  const executablePath = process.env["LANESORT_CHROMIUM"];
  if (executablePath === undefined) throw new Error("LANESORT_CHROMIUM does not name a Chromium");
  return chromium.launch({ executablePath, headless: true, args: [...quiet, ...(withGpu ? flags : [])] });
}

/** What the page complains of from now on. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => void (message.type() === "error" && complaints.push(message.text())));
  page.on("pageerror", (error) => void complaints.push(String(error)));
  return complaints;
}
