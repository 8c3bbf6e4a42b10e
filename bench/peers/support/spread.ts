// The middle of figures that were taken round by round, and how far they lie apart.
export interface Spread {
  readonly median: number;
  /** The quartiles: half of all rounds lie between them. */
  readonly low: number;
  readonly high: number;
  readonly rounds: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => quantile(sorted, share);
  return { median: at(0.5), low: at(0.25), high: at(0.75), rounds: values.length };
}

/** Of rising values; between two of them where the share falls between two, so that an even number favours nobody. */
function quantile(sorted: readonly number[], share: number): number {
  const place = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  if (below === undefined || above === undefined) return Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

/** "1.40 x (1.31 to 1.48, 40 rounds)"; the middle alone where there was one round. */
export function timesText({ median, low, high, rounds }: Spread): string {
  const times = `${median.toFixed(2)} x`;
  return rounds === 1 ? times : `${times} (${low.toFixed(2)} to ${high.toFixed(2)}, ${rounds} rounds)`;
}
