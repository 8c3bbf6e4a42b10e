// Latencies in the buckets of a Prometheus histogram.

/** Upper bounds of the buckets, in seconds. */
export const LATENCY_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

const MILLISECONDS_PER_SECOND = 1_000;

export class LatencyHistogram {
  /** Entries per bucket; the last is for those above all bounds. */
  readonly buckets = new Float64Array(LATENCY_BOUNDS.length + 1);
  count = 0;
  /** The sum of all. */
  milliseconds = 0;

  add(milliseconds: number): void {
    const seconds = milliseconds / MILLISECONDS_PER_SECOND;
    let bucket = 0;
    while (bucket < LATENCY_BOUNDS.length && seconds > (LATENCY_BOUNDS[bucket] ?? 0)) bucket++;
    this.buckets[bucket] = (this.buckets[bucket] ?? 0) + 1;
    this.count++;
    this.milliseconds += milliseconds;
  }
}
