// The tab: a scene, a camera, a sorter, and frames for as long as it is shown.

import "./viewer.css";
import { isSoftware } from "../gpu.ts";
import type { MountTab, Tab } from "../tab.ts";
import { hashOf, wishOf, type Wish } from "./address.ts";
import { Camera } from "./camera.ts";
import { hold } from "./controls.ts";
import { FrameRenderer, mostSplats } from "./frame.ts";
import { Mean, Meter, type Reading } from "./meter.ts";
import { makePanel, type Panel } from "./panel.ts";
import { isPly, parsePly } from "./ply.ts";
import type { Scene } from "./scene.ts";
import { refusalOf, sorterChoices, standInFor, type SorterName } from "./sorters.ts";
import { parseSplatFile } from "./splat_file.ts";
import { syntheticScene } from "./synthetic.ts";

const framesInFlight = 2;     // what is recorded ahead of the GPU is only late
const mostScale = 2;          // pixels of the picture for one of the page: more cost more and are hardly seen
const softwareScale = 0.5;
const turnPerSecond = 0.25;   // radians
const readingsEach = 250;     // milliseconds, so that numbers can be read
const restAfter = 4;          // frames after a change, until its readings are back: a driver for the CPU then rests

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const nextFrame = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
const whole = (count: number): string => count.toLocaleString("en");
const milliseconds = (time: number | undefined): string => (time === undefined ? "…" : `${time.toFixed(time < 10 ? 2 : 1)} ms`);

class Viewer implements Tab {
  private readonly panel: Panel;
  private readonly camera = new Camera();
  private readonly meter: Meter;
  private readonly letGo: () => void;
  private readonly context: GPUCanvasContext;
  private scene: Scene | undefined;
  private synthetic: number | undefined;  // its count, for the address
  private sorterName: SorterName;         // as chosen; another stands in while it cannot be
  private turning: boolean;
  private seen: number | undefined;
  private means = freshMeans();
  private shown = false;
  private gone = false;
  private tick = 0;
  private lastFrame: number | undefined;
  private lastReadings = 0;
  private inFlight = 0;
  private framesToRest = restAfter;
  private pending: SorterName | undefined;

  constructor(
    root: HTMLElement, private readonly device: GPUDevice, private readonly software: boolean, private readonly renderer: FrameRenderer,
    format: GPUTextureFormat, private readonly wish: Wish,
  ) {
    this.sorterName = wish.sorter;
    this.turning = wish.turning && !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.panel = makePanel({
      sorter: (name) => void this.choose(name),
      synthetic: (count) => void this.open(() => syntheticScene(count), `Making ${whole(count)} splats…`, count),
      file: (file) => void this.openFile(file),
      turn: () => this.turn(!this.turning),
      reset: () => this.moved(() => this.camera.reset()),
      flip: () => this.moved(() => this.camera.flip()),
    });
    root.replaceChildren(this.panel.root);
    this.context = this.panel.canvas.getContext("webgpu")!;
    this.context.configure({ device, format, alphaMode: "premultiplied" });
    this.meter = new Meter(device, (reading) => this.take(reading));
    this.letGo = hold(this.panel.canvas, this.camera, () => this.moved(() => this.turn(false)));
    this.panel.root.addEventListener("keydown", (event) => this.key(event));
    this.panel.showSorter(this.sorterName, new Map());
    this.panel.showTurning(this.turning);
    void device.lost.then(() => this.destroy());
  }

  show(): void {
    if (this.shown || this.gone) return;
    this.shown = true;
    this.lastFrame = undefined;
    this.tick = requestAnimationFrame((now) => this.frame(now));
  }

  hide(): void {
    this.shown = false;
    cancelAnimationFrame(this.tick);
  }

  destroy(): void {
    if (this.gone) return;
    this.hide();
    this.gone = true;
    this.letGo();
    this.meter.destroy();
    this.renderer.destroy();
  }

  async start({ count }: Wish, refusal: string | undefined): Promise<void> {
    await this.open(() => syntheticScene(count), `Making ${whole(count)} splats…`, count);
    if (refusal !== undefined) this.panel.say(refusal, "warn");
  }

  /** Another scene; what was shown stays where it cannot be made. */
  async open(make: () => Scene | Promise<Scene>, waiting: string, synthetic?: number): Promise<void> {
    this.panel.busy(waiting);
    this.panel.say("");
    try {
      await nextFrame();  // the words are seen before the work begins
      const scene = await make();
      if (this.gone || !(await this.renderer.change(scene, standInFor(this.sorterName, scene.count)))) return;
      this.scene = scene;
      this.synthetic = synthetic;
      this.seen = undefined;
      this.camera.frame(scene.bounds, scene.up);
      if (scene.leftOut > 0) this.panel.say(`${whole(scene.leftOut)} splats whose numbers no Gaussian has were left out.`, "warn");
      this.changed();
    } catch (error) {
      if (!this.gone) this.panel.say(wordsOf(error), "bad");
    } finally {
      this.panel.busy(undefined);
      if (this.scene !== undefined) this.panel.showScene(this.scene.name, this.scene.count);
    }
  }

  private openFile(file: File): Promise<void> {
    return this.open(async () => {
      const bytes = await file.arrayBuffer();
      const most = mostSplats(this.device);
      return isPly(bytes) || /\.ply$/i.test(file.name) ? parsePly(file.name, bytes, most) : parseSplatFile(file.name, bytes, most);
    }, `Reading ${file.name}…`);
  }

  private async choose(name: SorterName): Promise<void> {
    this.sorterName = name;
    if (this.scene === undefined) return;
    await this.sortBy(standInFor(name, this.seen ?? this.scene.count));
  }

  private async sortBy(name: SorterName): Promise<void> {
    const { scene } = this;
    if (scene === undefined || this.gone) return;
    try {
      if (this.renderer.sorter?.name !== name && !(await this.renderer.change(scene, name))) return;
      if (!this.gone) this.changed();
    } catch (error) {
      if (!this.gone) this.panel.say(wordsOf(error), "bad");
    }
  }

  private moved(how: () => void): void {
    how();
    this.framesToRest = restAfter;
  }

  private changed(): void {
    const { sorter } = this.renderer;
    this.means = freshMeans();
    this.framesToRest = restAfter;
    this.panel.showExplanation(sorter?.explain() ?? "");
    this.showRefused();
    if (this.synthetic !== undefined) history.replaceState(null, "", hashOf({ ...this.wish, count: this.synthetic, sorter: this.sorterName, turning: this.turning }));
  }

  private showRefused(): void {
    const seen = this.seen ?? this.scene?.count ?? 0;
    const refused = new Map<SorterName, string>();
    for (const choice of sorterChoices) {
      const refusal = refusalOf(choice, seen);
      if (refusal !== undefined) refused.set(choice.name, refusal);
    }
    this.panel.showSorter(this.renderer.sorter?.name ?? this.sorterName, refused);
  }

  private turn(on: boolean): void {
    if (on === this.turning) return;
    this.framesToRest = restAfter;
    this.turning = on;
    this.panel.showTurning(on);
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLSelectElement) return;
    const choice = sorterChoices[Number(event.key) - 1];
    const onButton = event.target instanceof HTMLButtonElement || event.target instanceof HTMLInputElement || (event.target as Element).tagName === "SUMMARY";
    if (choice !== undefined) void this.choose(choice.name);
    else if (event.key === "r" || event.key === "R") this.moved(() => this.camera.reset());
    else if (event.key === "f" || event.key === "F") this.moved(() => this.camera.flip());
    else if (event.key === " " && !onButton) this.turn(!this.turning);
    else return;
    event.preventDefault();
  }

  private frame(now: number): void {
    if (!this.shown) return;
    this.tick = requestAnimationFrame((next) => this.frame(next));
    if (now - this.lastReadings > readingsEach) this.showReadings(now);
    if (this.inFlight >= framesInFlight || this.scene === undefined) return;
    if (this.resting()) return void (this.lastFrame = undefined);
    const passed = this.lastFrame === undefined ? undefined : now - this.lastFrame;
    this.lastFrame = now;
    if (passed !== undefined) this.means.frame.add(passed);
    if (this.turning) this.camera.orbit((turnPerSecond * Math.min(passed ?? 0, 100)) / 1000, 0);
    try {
      this.draw();
    } catch (error) {
      this.hide();  // a lost device tells the shell, which opens another
      this.panel.say(wordsOf(error), "bad");
    }
  }

  // A GPU shows each frame anew, so that its readings are live. A driver for the CPU would take the whole machine for it.
  private resting(): boolean {
    const { canvas } = this.panel;
    const same = canvas.width === this.sizeOf(canvas.clientWidth) && canvas.height === this.sizeOf(canvas.clientHeight);
    return this.software && !this.turning && same && this.renderer.sorter?.name !== "cpu" && --this.framesToRest < 0;
  }

  private get scale(): number {
    return this.wish.scale ?? (this.software ? softwareScale : Math.min(mostScale, devicePixelRatio));
  }

  private sizeOf(length: number): number {
    return Math.max(1, Math.min(this.device.limits.maxTextureDimension2D, Math.round(length * this.scale)));
  }

  private draw(): void {
    const { canvas } = this.panel;
    const [width, height] = [this.sizeOf(canvas.clientWidth), this.sizeOf(canvas.clientHeight)];
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const encoder = this.device.createCommandEncoder({ label: "frame" });
    this.renderer.encode(encoder, this.camera.view(width, height), this.context.getCurrentTexture().createView(), this.meter.stamps);
    if (this.renderer.seen !== undefined) this.meter.encode(encoder, this.renderer.seen);
    this.device.queue.submit([encoder.finish()]);
    this.renderer.submitted();
    this.meter.submitted();
    this.inFlight++;
    const done = (): void => void this.inFlight--;
    this.device.queue.onSubmittedWorkDone().then(done, done);
  }

  private take({ seen, gpu }: Reading): void {
    this.seen = seen;
    if (gpu !== undefined) {
      this.means.sort.add(gpu.sort);
      this.means.draw.add(gpu.draw);
    }
    const wanted = standInFor(this.sorterName, seen);
    if (this.renderer.sorter !== undefined && wanted !== this.renderer.sorter.name && this.pending !== wanted) {
      this.pending = wanted;
      void this.sortBy(wanted).finally(() => void (this.pending = undefined));
    }
  }
  private showReadings(now: number): void {
    this.lastReadings = now;
    const { frame, sort, draw } = this.means;
    const { sorter } = this.renderer;
    const perSecond = frame.value === undefined ? "" : ` · ${(1000 / frame.value).toFixed(0)} a second`;
    const onGpu = ({ value }: Mean): string => (!this.meter.hasClock ? "no GPU clock here" : value === undefined ? "…" : `${milliseconds(value)} ${this.software ? "by a software driver" : "on the GPU"}`);
    const late = sorter?.late;
    this.panel.showReadings({
      frame: milliseconds(frame.value) + perSecond,
      sort: sorter?.name === "unsorted" ? "none"
        : sorter?.name !== "cpu" ? onGpu(sort)
        : late === undefined ? "…" : `${milliseconds(late.milliseconds)} on the CPU, ${late.frames} frames late`,
      draw: onGpu(draw),
      seen: this.seen === undefined ? "…" : `${whole(this.seen)} of ${whole(this.scene?.count ?? 0)}`,
    });
    this.showRefused();
  }
}

const freshMeans = () => ({ frame: new Mean(), sort: new Mean(), draw: new Mean() });

export const mountViewer: MountTab = async (root, { adapter, device }) => {
  const format = navigator.gpu.getPreferredCanvasFormat();
  const renderer = await FrameRenderer.create(device, format);
  const most = mostSplats(device);
  const software = isSoftware(adapter);
  const count = Math.min(software ? 20_000 : 1_000_000, most);
  const { wish, refusal } = wishOf(location.hash, count, most);
  const viewer = new Viewer(root, device, software, renderer, format, wish);
  void viewer.start(wish, refusal);
  return viewer;
};
