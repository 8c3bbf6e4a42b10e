// Figures of each minute of the last day, for each index: rings of fixed size, which the console plots.
import { MINUTES_OF_DAY } from '../../domain/live.ts';
import { OPERATION_OF, OperationMeter, quantileMs, type RequestOutcome } from './request-meter.ts';

/** The values of a minute, in this order. */
export const FIGURES = ['queries', 'writes', 'others', 'refused', 'failed', 'p50Ms', 'p99Ms'] as const;
export type Figure = (typeof FIGURES)[number];

/** Indexes with series; beyond these, the one without requests for longest is forgotten. */
const INDEXES_MAX = 200;
const MINUTE_MS = 60_000;
const REFUSED = 400;
const FAILED = 500;
const WRITES: ReadonlySet<string> = new Set(['upsert', 'update', 'delete']);

/** A ring of a day: the minute that a place holds, and its values. */
export interface MinuteRing {
  /** Minutes since 1970; 0 for none. */
  readonly minutes: Uint32Array;
  readonly values: Float32Array;
}

interface IndexSeries extends MinuteRing {
  minute: number;
  queries: OperationMeter;
}

export class MinuteSeries {
  readonly #now: () => number;
  /** By index id, the one with the latest request last. */
  readonly #indexes = new Map<string, IndexSeries>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  add(indexId: string, endpointId: string, outcome: RequestOutcome): void {
    const series = this.#indexes.get(indexId) ?? newSeries();
    this.#indexes.delete(indexId);
    this.#indexes.set(indexId, series);
    const [oldest] = this.#indexes.keys();
    if (this.#indexes.size > INDEXES_MAX && oldest !== undefined) this.#indexes.delete(oldest);
    const at = this.#begin(series);
    const operation = OPERATION_OF.get(endpointId) ?? 'other';
    const count = (figure: Figure) => {
      const place = at + FIGURES.indexOf(figure);
      series.values[place] = (series.values[place] ?? 0) + 1;
    };
    count(operation === 'query' ? 'queries' : WRITES.has(operation) ? 'writes' : 'others');
    if (outcome.status >= FAILED) count('failed');
    else if (outcome.status >= REFUSED) count('refused');
    if (operation !== 'query') return;
    series.queries.note(outcome);
    series.values[at + FIGURES.indexOf('p50Ms')] = quantileMs(series.queries, 0.5);
    series.values[at + FIGURES.indexOf('p99Ms')] = quantileMs(series.queries, 0.99);
  }

  /** Values of the last minutes up to now, the oldest first; zeros for minutes without requests. */
  of(indexId: string, figure: Figure, minutes: number): Float32Array {
    const found = new Float32Array(minutes);
    const series = this.#indexes.get(indexId);
    if (series === undefined) return found;
    const last = this.#minute();
    for (let i = 0; i < minutes; i++) {
      const minute = last - minutes + 1 + i;
      const place = minute % MINUTES_OF_DAY;
      if (series.minutes[place] === minute)
        found[i] = series.values[place * FIGURES.length + FIGURES.indexOf(figure)] ?? 0;
    }
    return found;
  }

  /** All rings, to keep them over a restart. */
  rings(): ReadonlyMap<string, MinuteRing> {
    return this.#indexes;
  }

  /** Goes on with the rings of an earlier run. */
  load(rings: ReadonlyMap<string, MinuteRing>): void {
    for (const [id, { minutes, values }] of rings) this.#indexes.set(id, { ...newSeries(), minutes, values });
  }

  /** The place of the values of this minute, cleared when it begins. */
  #begin(series: IndexSeries): number {
    const minute = this.#minute();
    const place = minute % MINUTES_OF_DAY;
    const at = place * FIGURES.length;
    if (series.minutes[place] !== minute) {
      series.minutes[place] = minute;
      series.values.fill(0, at, at + FIGURES.length);
    }
    if (series.minute !== minute) {
      series.minute = minute;
      series.queries = new OperationMeter();
    }
    return at;
  }

  #minute(): number {
    return Math.floor(this.#now() / MINUTE_MS);
  }
}

function newSeries(): IndexSeries {
  return {
    minutes: new Uint32Array(MINUTES_OF_DAY),
    values: new Float32Array(MINUTES_OF_DAY * FIGURES.length),
    minute: 0,
    queries: new OperationMeter(),
  };
}
