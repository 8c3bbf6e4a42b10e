// Measures one graph: how fast it is built, and how fast it is searched at which recall.
import type { Metric } from '../../src/domain/index-model.ts';
import type { KernelBuild } from '../../src/engine/embedded/kernels/kernel.ts';
import { GraphFixture } from '../../src/engine/embedded/kernels/testing/graph-fixture.ts';
import type { DataSet } from '../support/data-set.ts';
import { percentile } from '../support/figures.ts';

const K = 10;
/** Candidates scored exactly: three times as many as requested. */
const RESCORED = 30;
const RUNS = 5;
/**
 * The bounds of early termination: results that must be stable, and for how many expansions; from quick to thorough.
 */
const SETTLED = 24;
const PATIENCES = [3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 96, 128];

export interface Setting {
  readonly build: KernelBuild;
  readonly metric: Metric;
  readonly maxDegree: number;
  readonly efConstruction: number;
}

export interface Point {
  readonly patience: number;
  readonly recall: number;
  /** Queries per second of one thread, preparation and exact scores of the best included. */
  readonly qps: number;
  readonly distances: number;
}

export interface Sweep {
  /** Records per second of processor time. */
  readonly builtPerSecond: number;
  readonly distancesPerInsertion: number;
  readonly points: readonly Point[];
}

/**
 * By dot product, neighbors are chosen among rows of large norm, which lie far apart, so that more of them must be
 * kept.
 */
function alphaOf(metric: Metric): number {
  return metric === 'dotproduct' ? 2 : 1.2;
}

/** The score of the tenth best of every query, higher is better. */
export function exactTenths(data: DataSet, metric: Metric): readonly number[] {
  const fixture = new GraphFixture({ build: 'plain', metric, rows: data.base });
  const sign = metric === 'euclidean' ? -1 : 1;
  const { query: block, rows, dim } = fixture.layout;
  const scores = new Float64Array(data.base.length);
  return data.queries.map((query) => {
    fixture.prepare(query);
    for (let slot = 0; slot < scores.length; slot++)
      scores[slot] = sign * fixture.kernel.scoreRow(block, rows + 4 * dim * slot);
    return scores.slice().sort().at(-K) ?? 0;
  });
}

/** Builds a graph, and searches it with more and more patience until `recallEnough` is reached. */
export function sweep(
  data: DataSet,
  tenths: readonly number[],
  options: { readonly setting: Setting; readonly recallEnough: number },
): Sweep {
  const fixture = new GraphFixture({
    ...options.setting,
    alpha: alphaOf(options.setting.metric),
    rows: data.base,
  });
  const before = process.cpuUsage();
  const distances = fixture.insert();
  const { user } = process.cpuUsage(before);
  const points: Point[] = [];
  for (const patience of PATIENCES) {
    const point = measure(fixture, data, { patience, tenths });
    points.push(point);
    if (point.recall >= options.recallEnough) break;
  }
  return {
    builtPerSecond: (data.base.length / user) * 1e6,
    distancesPerInsertion: distances / data.base.length,
    points,
  };
}

function measure(
  fixture: GraphFixture,
  { queries }: DataSet,
  { patience, tenths }: { readonly patience: number; readonly tenths: readonly number[] },
): Point {
  // Wide enough for all nodes that patience lets a search expand.
  const search = {
    ef: SETTLED + 2 * patience + 16,
    rescored: RESCORED,
    termination: { stableResults: SETTLED, patience, slack: null },
  };
  let found = 0;
  let distances = 0;
  const seconds = Array.from({ length: RUNS }, () => {
    found = 0;
    distances = 0;
    const start = performance.now();
    for (const [at, query] of queries.entries()) {
      const hits = fixture.search(query, search).slice(0, K);
      const tenth = tenths[at] ?? 0;
      for (const hit of hits) if (hit.score >= tenth) found++;
      distances += fixture.lastDistances;
    }
    return (performance.now() - start) / 1000;
  });
  const qps = queries.length / percentile(seconds, 0.5);
  return { patience, recall: found / (K * queries.length), qps, distances: distances / queries.length };
}
