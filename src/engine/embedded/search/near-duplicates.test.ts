// Records that lie closer together than their codes tell: the nearest of them are found, not just some of the group.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../../platform/testing/until.ts';
import { sampleProfile, sampleQuery } from '../../conformance/sample-data.ts';
import { type InProcessIndex, openInProcess } from '../in-process-index.ts';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { RECALL_PROMISED } from '../testing/recall.ts';
import { tempFolder } from '../testing/temp-folder.ts';

const DIMENSION = 48;
const GROUPS = 20;
const ROWS = 4_000;
const QUERIES = 30;
/** Of a group, beside components of about 1. */
const SPREAD = 0.02;
const EVEN = { kind: 'field', field: 'even', test: { op: 'in', values: [true] } } as const;

const METRICS = ['cosine', 'euclidean', 'dotproduct'] as const;
type Metric = (typeof METRICS)[number];

/** Higher is better; in doubles. */
function scoreOf(metric: Metric, query: Float32Array, row: Float32Array): number {
  let dot = 0;
  let apart = 0;
  for (const [at, value] of row.entries()) {
    dot += value * (query[at] ?? 0);
    apart += (value - (query[at] ?? 0)) ** 2;
  }
  if (metric === 'euclidean') return -apart;
  return metric === 'dotproduct' ? dot : dot / Math.hypot(...row);
}

function groupsOf(random: Random): () => Float32Array {
  const centers = Array.from({ length: GROUPS }, () =>
    Float32Array.from({ length: DIMENSION }, () => random.normal()),
  );
  return () => {
    const center = centers[random.integer(GROUPS)] ?? new Float32Array(DIMENSION);
    return center.map((value) => value + SPREAD * random.normal());
  };
}

async function fill({ writer }: InProcessIndex, rows: readonly Float32Array[]): Promise<void> {
  const records = rows.map((values, at) => ({
    id: String(at),
    values,
    sparse: null,
    metadataJson: `{"even":${at % 2 === 0}}`,
  }));
  await writer.upsert('', records);
}

describe('among near-duplicates', () => {
  for (const metric of METRICS) {
    it(`finds the nearest, by ${metric}, with and without a filter`, async (test) => {
      const random = new Random(83);
      const rowOf = groupsOf(random);
      const rows = Array.from({ length: ROWS }, rowOf);
      const index = openInProcess(sampleProfile({ metric, dimension: DIMENSION }), tempFolder(test), {
        directRecordsMax: 0,
        maintenanceLimits: { graphRecordsMin: 500, unindexedSlotsMin: 1 },
      });
      try {
        await fill(index, rows);
        const first = sampleQuery({ values: rowOf(), topK: 1, effort: 0.5 });
        const structure = async () => (await index.reader.explainQuery(first)).explanation.structure;
        await until(async () => (await structure()) === 'graph', 'a graph of all rows');
        for (const filter of [null, EVEN]) {
          for (const topK of [1, 10]) {
            let found = 0;
            for (let asked = 0; asked < QUERIES; asked++) {
              const values = rowOf();
              const scores = rows.map((row) => scoreOf(metric, values, row));
              const among = scores.filter((_, at) => filter === null || at % 2 === 0);
              const least = among.sort((a, b) => b - a)[topK - 1] ?? assert.fail('too few rows');
              const matches = await index.reader.query(sampleQuery({ values, topK, filter }));
              const isAsGood = (id: string) => (scores[Number(id)] ?? 0) >= least - 1e-6 * Math.abs(least);
              found += matches.filter(({ id }) => isAsGood(id)).length;
            }
            const recall = found / (QUERIES * topK);
            assert.ok(
              recall >= RECALL_PROMISED,
              `top ${topK}, ${filter === null ? 'all' : 'even'}: ${recall}`,
            );
          }
        }
      } finally {
        await index.close();
      }
    });
  }
});
