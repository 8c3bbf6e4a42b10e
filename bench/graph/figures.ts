// Measures proximity graphs apart from the service: construction, and searches by one thread at three levels of recall.
import '../../src/boot/runtime-flags.ts';
import type { Metric } from '../../src/domain/index-model.ts';
import type { KernelBuild } from '../../src/engine/embedded/kernels/kernel.ts';
import { machine } from '../support/figures.ts';
import { DATA_NAMES, type DataName, graphDataSet } from './data.ts';
import { exactTenths, type Sweep, sweep } from './sweep.ts';

const { BENCH_RECORDS, BENCH_DATA, BENCH_MAX_DEGREE, BENCH_BUILDS, BENCH_METRIC } = process.env;

const RECALLS = [0.95, 0.985, 0.995] as const;
const SIZE = { records: Number(BENCH_RECORDS ?? 50_000), queries: 200, dimension: 768 };
/** Maximum degree and efConstruction, as 48x64. */
const SHAPES = (BENCH_MAX_DEGREE ?? '32x64,48x64,48x96,64x128')
  .split(',')
  .map((text) => text.split('x').map(Number));

const NAMES = DATA_NAMES.filter((name) => BENCH_DATA?.split(',').includes(name) ?? true);
const BUILDS = (BENCH_BUILDS?.split(',') ?? ['plain']) as KernelBuild[];

/** The hardest metric for the data. */
function metricOf(name: DataName): Metric {
  return (BENCH_METRIC ?? (name === 'unnormalized' ? 'dotproduct' : 'cosine')) as Metric;
}

function cell({ points }: Sweep, recall: number): string {
  const point = points.find((each) => each.recall >= recall);
  if (point === undefined) return 'not reached';
  const effort = `${point.distances.toFixed(0)} distances, patience ${point.patience}`;
  return `${point.qps.toFixed(0)} (${effort}, ${point.recall.toFixed(3)})`;
}

console.log(`${machine()}\n${SIZE.records} x ${SIZE.dimension}, k = 10, one thread\n`);
console.log(
  '| data, metric | kernel | max degree x efConstruction | built/s a core | distances an insertion |',
  ...RECALLS.map((recall) => `QPS at ${recall} |`),
);
console.log(`|${'---|'.repeat(5 + RECALLS.length)}`);
for (const name of NAMES) {
  const data = graphDataSet(name, SIZE);
  const metric = metricOf(name);
  const tenths = exactTenths(data, metric);
  for (const build of BUILDS) {
    for (const [maxDegree = 48, efConstruction = 64] of SHAPES) {
      const found = sweep(data, tenths, {
        setting: { build, metric, maxDegree, efConstruction },
        recallEnough: RECALLS[2],
      });
      const facts = [
        `${name}, ${metric}`,
        build,
        `${maxDegree} x ${efConstruction}`,
        found.builtPerSecond.toFixed(0),
        found.distancesPerInsertion.toFixed(0),
      ];
      console.log(`| ${[...facts, ...RECALLS.map((recall) => cell(found, recall))].join(' | ')} |`);
    }
  }
}
