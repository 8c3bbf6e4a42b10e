// Measures what searches find in real data, and how many distances they compute (npm run bench:recall).
import '../../src/boot/runtime-flags.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type InProcessIndex, openInProcess } from '../../src/engine/embedded/in-process-index.ts';
import { profile, settled } from '../peers/engines/pinyon.ts';
import { BARE_QUERY } from '../support/bare-query.ts';
import { machine } from '../support/figures.ts';
import { dotOf } from './dot.ts';
import { exactAnswers } from './exact.ts';
import { attributesOf, type BenchFilter, FILTERS } from './filters.ts';
import type { RealSet } from './row-set.ts';
import { fillIndex, openSet, SET_NAMES } from './sets.ts';

/** A query that finds less has failed its caller. */
const POOR = 0.8;

const { values } = parseArgs({
  options: {
    sets: { type: 'string', default: 'packages,glove' },
    records: { type: 'string', default: '100000' },
    queries: { type: 'string', default: '300' },
    'top-k': { type: 'string', default: '10' },
    recall: { type: 'string', default: 'default' },
    filters: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  process.stdout.write(`Measures recall and distances of searches on real data; both are the same on every machine.

  --sets=a,b               of ${SET_NAMES.join(', ')}; the engine was tuned on paragraphs, not on the others
  --records=N              at most, of each set
  --queries=N              of each kind, up to 1,000
  --top-k=10,100           results of a search, up to 100
  --recall=default,0.95    targets: that of the engine, and requested ones
  --filters                with each filter, too

The first run downloads packages of Debian (apt-get) and Python (pip), and embeds the texts: an hour for 100,000.
`);
  process.exit(0);
}

async function measureSet(set: RealSet): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-recall-'));
  const { metric, dimension } = set;
  const index = openInProcess(profile({ vectorType: 'dense', metric, dimension }), join(folder, 'index'));
  try {
    const attributes = attributesOf(set);
    await fillIndex(index, set, (position) => attributes[position] ?? null);
    const [anyQuery] = set.base;
    await settled(index, () =>
      index.reader.query({ ...BARE_QUERY, values: anyQuery ?? null, topK: 1, filter: null }),
    );
    process.stdout.write(
      `\n${set.name}, ${set.base.length} x ${set.dimension}, ${values.queries} queries of each kind\n\n` +
        `| topK | recall requested | filter | ${[...set.kinds.keys()].join(' | ')} |\n` +
        `|---|---|---|${'---|'.repeat(set.kinds.size)}\n`,
    );
    const exact = new Map([...set.kinds.keys()].map((kind) => [kind, exactAnswers(set, kind, attributes)]));
    for (const topK of values['top-k'].split(',').map(Number)) {
      for (const recall of values.recall.split(',')) {
        for (const filter of values.filters ? FILTERS : FILTERS.slice(0, 1)) {
          const cells: string[] = [];
          for (const [kind, queries] of set.kinds) {
            const truth = (query: number) => exact.get(kind)?.least(query, filter, topK) ?? 0;
            cells.push(await measure(index, set, { queries, truth, topK, recall, filter }));
          }
          process.stdout.write(`| ${[topK, recall, filter.name, ...cells].join(' | ')} |\n`);
        }
      }
    }
  } finally {
    await index.close();
    rmSync(folder, { recursive: true });
  }
}

interface Cell {
  readonly queries: readonly Float32Array[];
  /** The least score of a true result. */
  readonly truth: (query: number) => number;
  readonly topK: number;
  readonly recall: string;
  readonly filter: BenchFilter;
}

/** Mean recall, share of poor queries, mean distances, share of scans. */
async function measure(
  { reader }: InProcessIndex,
  { base }: RealSet,
  { queries, truth, topK, recall, filter }: Cell,
): Promise<string> {
  const sums = { recall: 0, poor: 0, distances: 0, scans: 0 };
  const requested = recall === 'default' ? {} : { recall: Number(recall) };
  const { condition } = filter;
  for (const [at, values] of queries.entries()) {
    const { matches, explanation } = await reader.explainQuery({
      ...BARE_QUERY,
      ...requested,
      values,
      topK,
      filter: condition && { kind: 'field', field: condition.field, test: { op: 'compare', ...condition } },
    });
    const least = truth(at);
    const found = matches.filter(({ id }) => cosineBy(values, base[Number(id)]) >= least).length / topK;
    sums.recall += found;
    if (found < POOR) sums.poor++;
    sums.distances += explanation.distances;
    if (explanation.structure === 'scan') sums.scans++;
  }
  const percent = (sum: number) => `${((100 * sum) / queries.length).toFixed(1)} %`;
  const mean = (sum: number) => sum / queries.length;
  const scans = sums.scans === 0 ? '' : `, ${percent(sums.scans)} scanned`;
  return `${mean(sums.recall).toFixed(4)}, ${percent(sums.poor)}, ${mean(sums.distances).toFixed(0)}${scans}`;
}

/** The cosine times the norm of the query, which is the same for all records. */
function cosineBy(query: Float32Array, row: Float32Array | undefined): number {
  return row === undefined ? -Infinity : dotOf(query, row) / (Math.sqrt(dotOf(row, row)) || 1);
}

process.stdout.write(`${machine()}\n`);
for (const name of values.sets.split(',')) {
  await measureSet(await openSet(name, { records: Number(values.records), queries: Number(values.queries) }));
}
