// A scene of any size, the same for a seed: a striped knot within a pierced shell of glass, on a disc of stars. Each is
// before and behind the others from every side, so that a wrong order shows.

import { random } from "./random.ts";
import { SceneBuilder, type Scene, type Splat } from "./scene.ts";

type Vector = [number, number, number];
type Maker = (share: number) => Splat;

const turn = 2 * Math.PI;
const cross = (a: Vector, b: Vector): Vector => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (v: Vector): Vector => {
  const length = Math.hypot(...v);
  return [v[0] / length, v[1] / length, v[2] / length];
};
const along = (a: Vector, b: Vector, share: number): Vector => [a[0] + share * b[0], a[1] + share * b[1], a[2] + share * b[2]];
const mix = (a: Vector, b: Vector, share: number): Vector => [0, 1, 2].map((i) => a[i]! + share * (b[i]! - a[i]!)) as Vector;
// The rotation that takes z to a direction: a flat splat with that normal.
const facing = ([x, y, z]: Vector): Splat["rotation"] => (z > -0.9999 ? [1 + z, -y, x, 0] : [0, 1, 0, 0]);

const light = unit([0.45, 0.8, 0.4]);
const lit = (colour: Vector, normal: Vector): Vector => {
  const facingLight = normal[0] * light[0] + normal[1] * light[1] + normal[2] * light[2];
  const shade = 0.42 + 0.58 * Math.max(0, 0.5 + 0.5 * facingLight) ** 1.6;
  const shine = 0.3 * Math.max(0, facingLight) ** 24;
  return colour.map((part) => part * shade + shine) as Vector;
};
const disc = (position: Vector, normal: Vector, size: number, colour: Vector, opacity: number): Splat =>
  ({ position, scale: [size, size, 0.12 * size], rotation: facing(normal), colour: [...colour, opacity] });

/** A (2, 3) torus knot; the same curve's derivative comes by differences. */
function knotAt(t: number): Vector {
  const ring = 0.62 + 0.24 * Math.cos(3 * t);
  return [ring * Math.cos(2 * t), 0.3 * Math.sin(3 * t), ring * Math.sin(2 * t)];
}

const [ember, gold, sea, night]: Vector[] = [[0.96, 0.33, 0.26], [0.99, 0.76, 0.32], [0.16, 0.72, 0.74], [0.28, 0.3, 0.78]];

function knot(count: number, next: () => number): Maker {
  const thick = 0.115;
  const size = 1.25 * Math.sqrt((9.5 * turn * thick) / Math.max(count, 1)) / 2;
  return (share) => {
    const t = share * turn;
    const round = next() * turn;
    const here = knotAt(t);
    const ahead = unit(along(knotAt(t + 1e-3), here, -1));
    const side = unit(cross(ahead, [0, 1, 0]));
    const over = cross(side, ahead);
    const normal = along(side.map((part) => part * Math.cos(round)) as Vector, over, Math.sin(round));
    const wave = 0.5 + 0.5 * Math.sin(2 * t);
    const stripe = Math.sin(round * 2 + t * 18) > 0.55;
    const base = mix(mix(ember!, gold!, wave), stripe ? [0.99, 0.96, 0.9] : ember!, stripe ? 0.85 : 0.15);
    return disc(along(here, normal, thick), normal, size, lit(base, normal), 0.93);
  };
}

// Where a wave over the sphere is high, so that one sees through the rest.
function shell(count: number, next: () => number): Maker {
  const radius = 1.22;
  const size = 0.95 * Math.sqrt((4 * Math.PI * radius * radius * 0.34) / Math.max(count, 1));
  const wave = ([x, y, z]: Vector): number => Math.sin(6 * x) * Math.cos(6 * y) + Math.sin(6 * y) * Math.cos(6 * z) + Math.sin(6 * z) * Math.cos(6 * x);
  return () => {
    let normal: Vector;
    do {
      const height = 2 * next() - 1;
      const around = next() * turn;
      const flat = Math.sqrt(1 - height * height);
      normal = [flat * Math.cos(around), height, flat * Math.sin(around)];
    } while (Math.abs(wave(normal)) > 0.32);
    const colour = mix(sea!, night!, 0.5 - 0.5 * normal[1]);
    return disc(normal.map((part) => part * radius) as Vector, normal, size, lit(colour, normal), 0.55);
  };
}

function stars(count: number, next: () => number): Maker {
  const arms = 3;
  const bell = (): number => next() + next() + next() - 1.5;
  const size = Math.min(0.03, 1.1 * Math.sqrt(8 / Math.max(count, 1)));
  return () => {
    const out = 1.42 + 1.15 * next() ** 1.4;
    const angle = (Math.floor(next() * arms) / arms) * turn + 2.4 * Math.log(out) + 0.42 * bell();
    const away = out + 0.06 * bell();
    const glow = next();
    const colour = mix(mix([1, 0.82, 0.62], [0.45, 0.6, 1], Math.min(1, (out - 1.42) / 1.1)), [1, 0.5, 0.7], glow > 0.93 ? 0.8 : 0);
    return {
      position: [away * Math.cos(angle), 0.07 * bell() * (2.7 - out), away * Math.sin(angle)],
      scale: [size * (0.4 + glow), size * (0.3 + 0.3 * glow), size * (0.4 + glow)],
      rotation: [Math.cos(angle / 2), 0, -Math.sin(angle / 2), 0],
      colour: [...colour, 0.25 + 0.5 * glow * glow],
    };
  };
}

export function syntheticScene(count: number, seed = 1): Scene {
  const next = random(seed);
  const parts = [{ share: 0.5, make: knot }, { share: 0.22, make: shell }, { share: 0.28, make: stars }];
  const builder = new SceneBuilder("synthetic", count, 1);
  let made = 0;
  parts.forEach(({ share, make }, i) => {
    const here = i === parts.length - 1 ? count - made : Math.round(share * count);
    const maker = make(here, next);
    for (let index = 0; index < here; index++) builder.add(maker((index + next()) / here));
    made += here;
  });
  return builder.finish();
}
