// How much is measured: everything, the few minutes of every day, or next to nothing to try the benchmark itself.
import type { DataName } from './data/data-sets.ts';
import { PYTHON_ENGINES } from './engines/python-engines.ts';

export interface Target {
  readonly recall: number;
  readonly times: number;
}

export interface Plan {
  readonly name: string;
  readonly data: DataName;
  /** What is measured one after the other, where it is more than `data`. */
  readonly sets: readonly DataName[];
  /** Recalls at which search is contested, and how many times as fast as the best peer it is to be. */
  readonly targets: readonly Target[];
  readonly dimension: number;
  readonly queries: number;
  /** Records of the comparison inside a process. */
  readonly records: number;
  /** Records of the comparison over the network. */
  readonly servedRecords: number;
  readonly startRecords: number;
  readonly namespaces: number;
  readonly sparseRecords: number;
  readonly upsertRecords: number;
  readonly rounds: number;
  /** How long one setting is searched in a round: at least, and at most where not all queries fit in. */
  readonly secondsMin: number;
  readonly secondsMax: number;
  /** How long one setting is under load in a round. */
  readonly loadSeconds: number;
  /** Rounds of a contest by turns on search, of one on a filter, and how long everybody is measured in each of them. */
  readonly turns: number;
  readonly filterTurns: number;
  readonly sliceSeconds: number;
  /** The same over the network. */
  readonly servedTurns: number;
  readonly servedFilterTurns: number;
  readonly servedSliceSeconds: number;
  /** How often the program is started with files in the page cache, and without. */
  readonly starts: number;
  /** Build settings taken of every engine. */
  readonly builds: number;
  /** Take peers' indexes of earlier runs instead of building them again. */
  readonly reuse: boolean;
  /** Take our own as well: fair only where the code that makes them is the same. */
  readonly reuseOurs: boolean;
  /** Engines whose names contain one of these. */
  readonly engines: readonly string[];
}

const FULL: Plan = {
  name: 'full',
  data: 'hard',
  sets: [],
  targets: [
    { recall: 0.985, times: 2 },
    { recall: 0.995, times: 3 },
  ],
  dimension: 768,
  queries: 500,
  records: 200_000,
  servedRecords: 100_000,
  startRecords: 1_000_000,
  namespaces: 100_000,
  sparseRecords: 200_000,
  upsertRecords: 50_000,
  rounds: 3,
  secondsMin: 0.5,
  secondsMax: 4,
  loadSeconds: 5,
  turns: 40,
  filterTurns: 20,
  sliceSeconds: 0.6,
  servedTurns: 15,
  servedFilterTurns: 9,
  servedSliceSeconds: 2,
  starts: 3,
  builds: 9,
  reuse: false,
  reuseOurs: false,
  engines: ['Pinyon', 'zvec', 'usearch', 'hnswlib', 'LanceDB'],
};

const SHORT: Plan = {
  ...FULL,
  name: 'short',
  queries: 300,
  records: 30_000,
  servedRecords: 10_000,
  startRecords: 30_000,
  namespaces: 3_000,
  sparseRecords: 30_000,
  upsertRecords: 3_000,
  rounds: 1,
  secondsMin: 0.2,
  secondsMax: 0.6,
  loadSeconds: 0.8,
  turns: 10,
  filterTurns: 5,
  sliceSeconds: 0.3,
  servedTurns: 5,
  servedFilterTurns: 3,
  servedSliceSeconds: 0.5,
  starts: 1,
  builds: 1,
  reuse: true,
};

const TINY: Plan = {
  ...SHORT,
  name: 'tiny',
  queries: 100,
  records: 10_000,
  servedRecords: 5_000,
  startRecords: 10_000,
  namespaces: 500,
  sparseRecords: 10_000,
  upsertRecords: 1_000,
  secondsMin: 0.1,
  secondsMax: 0.5,
  loadSeconds: 0.5,
  turns: 4,
  filterTurns: 2,
  sliceSeconds: 0.1,
  servedTurns: 2,
  servedFilterTurns: 2,
  servedSliceSeconds: 0.3,
};

/** Real embeddings, with queries of their own kind and of others, beside the best engines of npm and PyPI. */
const REAL: Plan = {
  ...FULL,
  name: 'real',
  data: 'packages same',
  sets: ['packages same', 'packages other', 'glove same', 'glove other', 'fashion same', 'fashion other'],
  targets: [0.9, 0.95, 0.985, 0.995, 0.999].map((recall) => ({ recall, times: 1.2 })),
  records: 100_000,
  queries: 300,
  rounds: 1,
  secondsMin: 0.2,
  secondsMax: 2,
  turns: 12,
  filterTurns: 8,
  sliceSeconds: 0.4,
  reuse: true,
  engines: ['Pinyon', 'zvec', 'usearch i8', ...PYTHON_ENGINES.map(({ name }) => name)],
};

export const PLANS: readonly Plan[] = [FULL, SHORT, TINY, REAL];
