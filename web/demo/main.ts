// The shell: tabs, theme, and a device that each tab is mounted with when it is first shown, and again after a loss.
import readme from "../README.md?url";
import { element } from "./element.ts";
import { deviceLost, openGpu, type Opening, type Trouble } from "./gpu.ts";
import { tabNames, tabOf, type TabName } from "./route.ts";
import type { MountTab, Tab } from "./tab.ts";
import { startTheme } from "./theme.ts";
import { showTrouble, showWaiting } from "./trouble.ts";

const mounts: Record<TabName, () => Promise<MountTab>> = {
  viewer: async () => (await import("./viewer/index.ts")).mountViewer,
  bench: async () => (await import("./bench/index.ts")).mountBench,
  doctor: async () => (await import("./doctor/index.ts")).mountDoctor,
};

const byId = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const buttonOf = (name: TabName): HTMLButtonElement => byId(`tab-${name}`);
const panelOf = (name: TabName): HTMLElement => byId(`panel-${name}`);

const hashes = new Map<TabName, string>();  // where each tab was left
const tabs = new Map<TabName, Tab>();
const mounting = new Set<TabName>();
let opening: Promise<Opening>;
let generation = 0;  // of devices: what belongs to an older one is stale
let shown: TabName | undefined;

function unmountAll(): void {
  for (const tab of tabs.values()) tab.destroy();
  tabs.clear();
  mounting.clear();
  for (const name of tabNames) panelOf(name).replaceChildren();
}

const troubleIn = (name: TabName, trouble: Trouble): void => showTrouble(panelOf(name), trouble, name === "doctor",
  reopen);

function open(): void {
  const mine = ++generation;
  opening = openGpu();
  void opening.then((opened) => {
    if (!("gpu" in opened) || mine !== generation) return;
    const { device } = opened.gpu;
    device.addEventListener("uncapturederror", ({ error }) => console.error(error.message));
    Object.assign(globalThis, { lanesort: opened.gpu });  // for the console: lanesort.device.destroy() shows a loss
    void device.lost.then((info) => {
      if (mine !== generation) return;
      const trouble = deviceLost(info);
      opening = Promise.resolve({ trouble });
      ++generation;
      unmountAll();
      if (shown !== undefined) troubleIn(shown, trouble);
    });
  });
}

function reopen(): void {
  open();
  unmountAll();
  if (shown !== undefined) void mount(shown);
}

async function mount(name: TabName): Promise<void> {
  const known = tabs.get(name);
  if (known !== undefined) return known.show();
  if (mounting.has(name)) return;
  mounting.add(name);
  const mine = generation;
  showWaiting(panelOf(name));
  const opened = await opening;
  if (mine !== generation) return;
  if ("trouble" in opened) {
    mounting.delete(name);
    return troubleIn(name, opened.trouble);
  }
  try {
    const mountTab = await mounts[name]();
    if (mine !== generation) return;
    const root = element("div", { class: "root" });  // its own: what a stale tab still does, it does out of sight
    panelOf(name).replaceChildren(root);
    const tab = await mountTab(root, opened.gpu);
    if (mine !== generation) return tab.destroy();
    tabs.set(name, tab);
    if (name === shown) tab.show();
    else tab.hide();
  } catch (error) {
    if (mine !== generation) return;
    console.warn(error);
    troubleIn(name, {
      title: "This tab did not start",
      cause: error instanceof Error ? error.message : String(error),
      remedies: ["Try again with a new device.", "The doctor tab tests this device, step by step."],
      again: "Try again",
    });
  } finally {
    if (mine === generation) mounting.delete(name);
  }
}

function remount(name: TabName): void {
  tabs.get(name)?.destroy();
  if (tabs.delete(name) && name === shown) void mount(name);
}

function select(name: TabName): void {
  if (shown === name) return;
  if (shown !== undefined) tabs.get(shown)?.hide();
  shown = name;
  for (const other of tabNames) {
    const chosen = other === name;
    buttonOf(other).setAttribute("aria-selected", String(chosen));
    buttonOf(other).tabIndex = chosen ? 0 : -1;
    panelOf(other).hidden = !chosen;
  }
  document.title = `${buttonOf(name).textContent} · lanesort`;
  void mount(name);
}

// Tabs write into the address without a word; what they wrote is in the address that was left.
function follow(left?: string): void {
  if (left !== undefined && left !== "") hashes.set(tabOf(left), left);
  const { hash } = location;
  const name = tabOf(hash);
  const asks = hash.includes("?") && hash !== hashes.get(name);  // for something else than the tab was left with
  if (asks) remount(name);
  select(name);
}

const go = (name: TabName): void => void (location.hash = hashes.get(name) ?? `#${name}`);

function startTabs(): void {
  for (const name of tabNames) buttonOf(name).addEventListener("click", () => go(name));
  byId("tab-viewer").parentElement!.addEventListener("keydown", (event) => {
    const at = tabNames.indexOf(tabOf(location.hash));
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabNames.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const name = tabNames.at(to % tabNames.length)!;
    go(name);
    buttonOf(name).focus();
  });
  addEventListener("hashchange", ({ oldURL }) => follow(new URL(oldURL).hash));
}

byId<HTMLAnchorElement>("readme").href = readme;
startTheme(byId("theme"));
open();
startTabs();
follow();
