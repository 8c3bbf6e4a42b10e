// Sparse search inside the process: exact, one thread.
import { mkdirSync, rmSync } from 'node:fs';
import { openInProcess } from '../../../src/engine/embedded/in-process-index.ts';
import { percentile } from '../../support/figures.ts';
import { ExactSparse, sparseRecords } from '../data/sparse-records.ts';
import { K } from '../data/truth.ts';
import { profile, settled } from '../engines/pinyon.ts';
import type { Plan } from '../plan.ts';
import { cachePath } from '../support/cache.ts';
import { progress } from '../support/progress.ts';
import { NONE, type Outcome, rounded } from './row.ts';

const RECORD_TERMS = 120;
const QUERY_TERMS = 40;
const QPS_MIN = 300;
const BATCH = 1_000;
const QUERIES = 300;
/** Queries compared with the plain evaluation. */
const CHECKED = 50;
const SEEDS = { records: 11, queries: 12 };

export async function sparse(plan: Plan): Promise<Outcome> {
  const folder = cachePath('services', 'sparse');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const index = openInProcess(
    profile({ vectorType: 'sparse', metric: 'dotproduct', dimension: null }),
    folder,
  );
  const nextRecord = sparseRecords(SEEDS.records, RECORD_TERMS);
  const nextQuery = sparseRecords(SEEDS.queries, QUERY_TERMS);
  const queries = Array.from({ length: QUERIES }, nextQuery);
  const checked = queries.slice(0, CHECKED);
  const exact = new ExactSparse(checked, K);
  const ask = (query: (typeof queries)[number]) =>
    index.reader.query({
      namespace: '',
      topK: K,
      values: null,
      sparse: query,
      filter: null,
      includeValues: false,
      includeMetadata: false,
    });
  try {
    progress(`storing ${rounded(plan.sparseRecords)} sparse records`);
    for (let first = 0; first < plan.sparseRecords; first += BATCH) {
      const count = Math.min(BATCH, plan.sparseRecords - first);
      const records = Array.from({ length: count }, (_, at) => {
        const vector = nextRecord();
        exact.add(vector);
        return { id: String(first + at), values: null, sparse: vector, metadataJson: null };
      });
      await index.writer.upsert('', records);
    }
    await settled(index, () => ask(nextQuery()));
    progress('searching sparse records');
    const rates: number[] = [];
    for (let round = 0; round < plan.rounds; round++) {
      const started = performance.now();
      for (const query of queries) await ask(query);
      rates.push((1000 * queries.length) / (performance.now() - started));
    }
    let same = 0;
    for (const [at, query] of checked.entries()) {
      const wanted = new Set(exact.best(at));
      same += (await ask(query)).filter(({ id }) => wanted.has(Number(id))).length;
    }
    const recall = same / (CHECKED * K);
    const qps = percentile(rates, 0.5);
    const row = {
      what: `sparse search, ${rounded(plan.sparseRecords)} records x ${RECORD_TERMS} terms, queries of ${QUERY_TERMS}, 1 thread`,
      goal: `exact, >= ${QPS_MIN}/s`,
      ours: `${rounded(qps)}/s, recall ${recall.toFixed(4)}`,
      peer: NONE,
      ratio: null,
      lost: false,
      met: qps >= QPS_MIN && recall === 1,
    };
    return { rows: [row], missing: [], details: '' };
  } finally {
    await index.close();
  }
}
