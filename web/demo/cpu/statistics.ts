// Median and quartiles, and when enough was sampled: the rules of docs/benchmarking.md.

export interface Spread {
  median_s: number;
  q1_s: number;
  q3_s: number;
  samples: number;
}

export function spreadOf(samples: readonly number[]): Spread {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (part: number): number => {
    const place = part * (sorted.length - 1);
    const [below, above] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!];
    return below + (above - below) * (place % 1);
  };
  return { median_s: at(0.5), q1_s: at(0.25), q3_s: at(0.75), samples: sorted.length };
}

const [leastSamples, mostSamples] = [5, 1000];

/** 5 samples at least (3 where one lasts longer than all should), then until the median is known to half a percent. */
export function enough(samples: readonly number[], secondsSpent: number, secondsForAll: number): boolean {
  if (samples.length < (samples.some((sample) => sample > secondsForAll) ? 3 : leastSamples)) return false;
  if (samples.length >= mostSamples || secondsSpent >= secondsForAll) return true;
  const { median_s, q1_s, q3_s } = spreadOf(samples);
  return (1.57 * (q3_s - q1_s)) / Math.sqrt(samples.length) <= 0.005 * median_s;
}
