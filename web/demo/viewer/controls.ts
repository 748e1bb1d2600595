// Hands on the camera: mouse, fingers, keys.

import type { Camera } from "./camera.ts";

interface Point {
  x: number;
  y: number;
}

const turnOfSide = Math.PI;  // that far for a stroke as long as the picture's shorter side
const keyStep = 0.08;

/** Moves the camera as the hands on `stage` do, and tells `moved` each time. The return value lets go of the stage. */
export function hold(stage: HTMLElement, camera: Camera, moved: () => void): () => void {
  const points = new Map<number, Point>();
  const side = (): number => Math.max(1, Math.min(stage.clientWidth, stage.clientHeight));
  const middle = (): Point => ({ x: mean((point) => point.x), y: mean((point) => point.y) });
  const mean = (part: (point: Point) => number): number => [...points.values()].reduce((sum, point) => sum + part(point), 0) / points.size;
  const spread = (): number => {
    const [a, b] = [...points.values()];
    return a === undefined || b === undefined ? 0 : Math.hypot(a.x - b.x, a.y - b.y);
  };

  const down = (event: PointerEvent): void => {
    points.set(event.pointerId, { x: event.clientX, y: event.clientY });
    stage.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent): void => {
    if (!points.has(event.pointerId)) return;
    const [before, apart] = [middle(), spread()];
    points.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const [right, below] = [(middle().x - before.x) / side(), (middle().y - before.y) / side()];
    const panning = points.size > 1 || event.shiftKey || event.ctrlKey || (event.buttons & 6) !== 0;
    if (panning) camera.pan(right, below);
    else camera.orbit(turnOfSide * right, turnOfSide * below);
    if (apart > 0 && spread() > 0) camera.zoom(spread() / apart);
    moved();
  };
  const up = (event: PointerEvent): void => void points.delete(event.pointerId);
  const wheel = (event: WheelEvent): void => {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 24 : 1;
    camera.zoom(Math.exp(-Math.max(-240, Math.min(240, event.deltaY * lines)) * (event.ctrlKey ? 0.01 : 0.0015)));  // ctrl: a pinch on a touchpad
    moved();
  };
  const key = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (arrow !== undefined) {
      const [right, below] = arrow.map((way) => way * keyStep) as [number, number];
      if (event.shiftKey) camera.pan(right, below);
      else camera.orbit(2 * right, 2 * below);
    } else if (event.key === "+" || event.key === "=") camera.zoom(1.1);
    else if (event.key === "-" || event.key === "_") camera.zoom(1 / 1.1);
    else return;
    event.preventDefault();
    moved();
  };
  const menu = (event: Event): void => event.preventDefault();  // the right button pans

  const abort = new AbortController();
  const { signal } = abort;
  stage.addEventListener("pointerdown", down, { signal });
  stage.addEventListener("pointermove", move, { signal });
  stage.addEventListener("pointerup", up, { signal });
  stage.addEventListener("pointercancel", up, { signal });
  stage.addEventListener("wheel", wheel, { signal, passive: false });
  stage.addEventListener("keydown", key, { signal });
  stage.addEventListener("contextmenu", menu, { signal });
  return () => abort.abort();
}
