// Recall stays above its limit for every kind of vectors, metric, filter, share of deleted records and topK.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Metric } from '../../../../domain/index-model.ts';
import { effort } from '../effort.ts';
import { RECALL_PROMISED } from '../recall.ts';
import { tempFolder } from '../temp-folder.ts';
import {
  clustered,
  type DataSet,
  duplicates,
  far,
  hard,
  inOrder,
  longTailed,
  multiHot,
  offset,
  signs,
  uniform,
} from './data-sets.ts';
import { type Cell, RecallFixture } from './recall-fixture.ts';

/** The long form: PINYON_RECALL_RECORDS=50000 (every data set by every metric; minutes to hours). */
const LONG_RECORDS = process.env.PINYON_RECALL_RECORDS;
const QUERIES = Number(process.env.PINYON_RECALL_QUERIES ?? (LONG_RECORDS === undefined ? 6 : 100));
const SEED = Number(process.env.PINYON_RECALL_SEED ?? 7);
const METRICS: readonly Metric[] = ['cosine', 'euclidean', 'dotproduct'];
const TOP_KS = [1, 10, 100];
/** Room to walk; with fewer records nearly everything is scanned. */
const SEARCHED_RECORDS = 5_000;
const SCANNED_RECORDS = 1_000;
const LONG_MS_MAX = 3_600_000;
const SHORT_MS_MAX = 240_000;

interface Case {
  readonly dataSet: DataSet;
  readonly metric: Metric;
  readonly records: number;
}

/** In the long form more kinds of data get a graph. */
const FURTHER_RECORDS = effort({ daily: SCANNED_RECORDS, long: SEARCHED_RECORDS });

const SHORT: readonly Case[] = [
  { dataSet: hard(24), metric: 'cosine', records: SEARCHED_RECORDS },
  { dataSet: inOrder(64), metric: 'cosine', records: FURTHER_RECORDS },
  { dataSet: longTailed(48), metric: 'dotproduct', records: SEARCHED_RECORDS },
  { dataSet: clustered(32), metric: 'dotproduct', records: SCANNED_RECORDS },
  { dataSet: offset(37), metric: 'cosine', records: SCANNED_RECORDS },
  { dataSet: far(40), metric: 'euclidean', records: FURTHER_RECORDS },
  { dataSet: duplicates(16), metric: 'euclidean', records: SCANNED_RECORDS },
  { dataSet: multiHot(64), metric: 'cosine', records: SEARCHED_RECORDS },
  { dataSet: signs(64), metric: 'euclidean', records: FURTHER_RECORDS },
  { dataSet: uniform(2), metric: 'cosine', records: FURTHER_RECORDS },
  { dataSet: uniform(3), metric: 'euclidean', records: SCANNED_RECORDS },
  { dataSet: uniform(8), metric: 'dotproduct', records: SCANNED_RECORDS },
  { dataSet: hard(1_536), metric: 'cosine', records: SCANNED_RECORDS / 2 },
];

/** With 1,536 dimensions, a graph is worth a walk much sooner. */
const WIDE_SHARE = 0.2;
const LONG: readonly Case[] = [
  ...[hard(64), hard(37), clustered(64), inOrder(32), longTailed(64), offset(48), far(48), duplicates(32)],
  ...[multiHot(64), signs(64)],
  ...[uniform(2), uniform(3), uniform(5), uniform(8), hard(1_536)],
].flatMap((dataSet) =>
  METRICS.map((metric) => {
    const share = dataSet.dimension > 1_000 ? WIDE_SHARE : 1;
    return { dataSet, metric, records: Math.ceil(Number(LONG_RECORDS ?? 0) * share) };
  }),
);

/** What is done to the records before each measurement; `now`: before the engine has had time to mend the graph. */
const STAGES: readonly (readonly [string, (fixture: RecallFixture) => Promise<void>])[] = [
  ['none deleted', async () => {}],
  ['30 % deleted, now', (fixture) => fixture.deleteUntil(0.3, 'random')],
  ['30 % deleted', (fixture) => fixture.settled()],
  ['70 % deleted by region, now', (fixture) => fixture.deleteUntil(0.7, 'region')],
  ['70 % deleted by region', (fixture) => fixture.settled()],
];

describe('recall', { timeout: LONG_RECORDS === undefined ? SHORT_MS_MAX : LONG_MS_MAX }, () => {
  for (const options of LONG_RECORDS === undefined ? SHORT : LONG) {
    const { dataSet, metric, records } = options;
    it(`is kept by ${metric} on ${records} records of the kind ${dataSet.name}`, (test) =>
      assertCells(test, options));
  }
});

async function assertCells(test: TestContext, options: Case): Promise<void> {
  const fixture = new RecallFixture(tempFolder(test), { ...options, seed: SEED });
  try {
    await fixture.fill();
    const missed: string[] = [];
    for (const [stage, prepare] of STAGES) {
      await prepare(fixture);
      const cells = await fixture.measure(QUERIES, TOP_KS);
      test.diagnostic(`${stage}: ${summary(cells)}`);
      missed.push(
        ...cells.filter(({ recall }) => recall < RECALL_PROMISED).map((cell) => `${stage}, ${textOf(cell)}`),
      );
    }
    assert.deepEqual(missed, []);
  } finally {
    await fixture.close();
  }
}

function summary(cells: readonly Cell[]): string {
  const walked = cells.filter((cell) => cell.searched > 0);
  const mean = cells.reduce((sum, { recall }) => sum + recall, 0) / cells.length;
  const least = Math.min(...cells.map(({ recall }) => recall));
  return `${cells.length} cells, ${walked.length} walked, recall ${mean.toFixed(4)}, least ${least.toFixed(4)}`;
}

function textOf({ filter, topK, recall, searched }: Cell): string {
  return `filter ${filter}, topK ${topK}: recall ${recall.toFixed(4)}, ${Math.round(100 * searched)} % by graph`;
}
