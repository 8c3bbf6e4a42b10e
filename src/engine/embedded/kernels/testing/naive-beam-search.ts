// A naive beam search with early termination and slack, as a model of the kernel's; for tests.
import type { EarlyTermination } from '../graph.ts';

export interface NaiveSearch {
  /** The distance of each slot from the query, 0 for a copy of it. */
  readonly distances: readonly number[];
  readonly neighborsOf: (slot: number) => readonly number[];
  readonly entryPoints: readonly number[];
  readonly ef: number;
  /** Nodes at one distance, which are copies of one row; default any number. */
  readonly ties?: number;
  readonly termination: EarlyTermination;
}

export interface NaiveResults {
  /** Nearest first. */
  readonly slots: readonly number[];
  readonly nodes: number;
}

/** The beam and what the search knows of it. */
class NaiveBeam {
  entries: readonly number[] = [];
  readonly expanded = new Set<number>();
  readonly #search: NaiveSearch;
  /** The limit of the slack when a batch was last offered. */
  #limit = Number.POSITIVE_INFINITY;

  constructor(search: NaiveSearch) {
    this.#search = search;
  }

  /** The nearest nodes whose order counts as the result so far. */
  get front(): string {
    return this.entries.slice(0, this.#search.termination.stableResults).join();
  }

  isBeyondSlack(slot: number): boolean {
    return this.#distance(slot) > this.#slackLimit();
  }

  /** Keeps the nearest `ef`, and up to the slack's `ef` of those that lie within the slack. */
  offer(slots: readonly number[]): void {
    const { ties = slots.length + this.entries.length, termination } = this.#search;
    const { slack } = termination;
    this.#limit = this.#slackLimit();
    for (const slot of slots) {
      const isTie = (each: number) => this.#distance(each) === this.#distance(slot);
      if (this.entries.filter(isTie).length >= ties) continue;
      const all = [...this.entries, slot].sort((a, b) => this.#distance(a) - this.#distance(b) || a - b);
      const within = all.filter((each) => this.#distance(each) <= this.#limit).slice(0, slack?.ef ?? 0);
      this.entries = all.slice(0, Math.max(this.#search.ef, within.length));
    }
  }

  #slackLimit(): number {
    const { slack } = this.#search.termination;
    if (slack === null) return -1;
    const last = this.entries[slack.rank - 1];
    return last === undefined ? Number.POSITIVE_INFINITY : this.#distance(last) * (1 + slack.share) ** 2;
  }

  #distance(slot: number): number {
    return this.#search.distances[slot] ?? Number.POSITIVE_INFINITY;
  }
}

/** Expands two nodes at a time until the front has been stable and nothing is left within the slack. */
export function naiveBeamSearch(search: NaiveSearch): NaiveResults {
  const { termination, entryPoints, neighborsOf } = search;
  const beam = new NaiveBeam(search);
  const visited = new Set(entryPoints);
  beam.offer(entryPoints);
  let front = '';
  let stableFor = 0;
  for (;;) {
    const pair = beam.entries.filter((slot) => !beam.expanded.has(slot)).slice(0, 2);
    const [nearest] = pair;
    if (nearest === undefined) break;
    if (stableFor >= termination.patience && beam.isBeyondSlack(nearest)) break;
    for (const slot of pair) beam.expanded.add(slot);
    const fresh = pair.flatMap(neighborsOf).filter((slot) => !visited.has(slot));
    for (const slot of fresh) visited.add(slot);
    beam.offer([...new Set(fresh)]);
    const isStable = beam.front === front && beam.entries.length >= termination.stableResults;
    front = beam.front;
    stableFor = isStable ? stableFor + pair.length : 0;
  }
  return { slots: beam.entries, nodes: beam.expanded.size };
}
