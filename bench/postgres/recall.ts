// What searches by pgvector's graph find in real embeddings by default, with filters that 90 to 0.1 % of the records match:
// `npm run bench:postgres:recall`.
import '../../src/boot/runtime-flags.ts';
import { parseArgs } from 'node:util';
import { PostgresEngine } from '../../src/engine/postgres/postgres-engine.ts';
import { whyNoPgvector } from '../../test/postgres/pgvector.ts';
import { startPostgres, whyNotHere } from '../../test/postgres/server.ts';
import { profile } from '../peers/engines/pinyon.ts';
import { dotOf } from '../real/dot.ts';
import type { RealSet } from '../real/row-set.ts';
import { packagesSet } from '../real/text-sets.ts';
import { BARE_QUERY } from '../support/bare-query.ts';
import { machine } from '../support/figures.ts';

const BATCH = 500;
const TOP_K = 10;
/** Thousandths of the records that match: a record's number, scattered, is below. */
const SHARES = [1_000, 900, 500, 100, 10, 1] as const;
const THOUSANDTHS = 1_000;
/** Of two sums of the same products. */
const ROUNDING = 2e-6;

const { values } = parseArgs({
  options: { records: { type: 'string', default: '20000' }, queries: { type: 'string', default: '200' } },
});

const reason = whyNotHere() ?? whyNoPgvector();
if (reason === null) await run();
else process.stdout.write(`SKIPPED: no PostgreSQL with pgvector can be run here: ${reason}\n`);

async function run(): Promise<void> {
  const set = await packagesSet({ records: Number(values.records), queries: Number(values.queries) });
  const server = await startPostgres();
  const engine = await PostgresEngine.open({ url: await server.newDatabase(), connectionsMax: 4 });
  try {
    process.stdout.write(
      `${machine()}\n${set.name}, ${set.base.length} x ${set.dimension}, ${values.queries} queries of each kind, ` +
        `topK ${TOP_K}: recall, and the share of searches that were exact\n\n`,
    );
    await measure(engine, set);
  } finally {
    await engine.close();
    await server.stop();
  }
}

async function measure(engine: PostgresEngine, set: RealSet): Promise<void> {
  const index = profile({ vectorType: 'dense', metric: set.metric, dimension: set.dimension });
  await engine.createIndex(index);
  for (let first = 0; first < set.base.length; first += BATCH) {
    const records = set.base.slice(first, first + BATCH).map((row, at) => ({
      id: String(first + at),
      values: row,
      sparse: null,
      metadataJson: JSON.stringify({ slice: sliceOf(first + at) }),
    }));
    await engine.writer(index).upsert('', records);
  }
  const reader = engine.reader(index);
  process.stdout.write(`| records that match | ${[...set.kinds.keys()].join(' | ')} |\n`);
  process.stdout.write(`|---|${'---|'.repeat(set.kinds.size)}\n`);
  for (const share of SHARES) {
    const cells: string[] = [];
    const test = { op: 'compare', relation: 'lt', bound: share } as const;
    const filter = share === THOUSANDTHS ? null : ({ kind: 'field', field: 'slice', test } as const);
    for (const queries of set.kinds.values()) {
      let found = 0;
      let expected = 0;
      let exact = 0;
      for (const query of queries) {
        const least = leastOf(set, query, share);
        const { matches, explanation } = await reader.explainQuery({
          ...BARE_QUERY,
          values: query,
          topK: TOP_K,
          filter,
        });
        found += matches.filter(({ id }) => cosine(query, set.base[Number(id)]) >= least.score).length;
        expected += least.count;
        if (explanation.structure === 'scan') exact++;
      }
      const percent = ((100 * exact) / queries.length).toFixed(0);
      cells.push(`${(found / expected).toFixed(4)}, ${percent} %`);
    }
    process.stdout.write(`| ${share / 10} % | ${cells.join(' | ')} |\n`);
  }
}

/** A number of thousandths that has nothing to do with the record. */
function sliceOf(position: number): number {
  return (Math.imul(position + 1, 0x9e3779b1) >>> 0) % THOUSANDTHS;
}

/** How many results there are, and the score of the last of them, less a rounding error. */
function leastOf({ base }: RealSet, query: Float32Array, share: number) {
  const scores = base.flatMap((row, at) => (sliceOf(at) < share ? [cosine(query, row)] : []));
  const top = scores.sort((one, other) => other - one).slice(0, TOP_K);
  return { count: top.length, score: (top.at(-1) ?? 0) - ROUNDING };
}

function cosine(query: Float32Array, row: Float32Array | undefined): number {
  if (row === undefined) return Number.NEGATIVE_INFINITY;
  return dotOf(query, row) / (Math.sqrt(dotOf(query, query) * dotOf(row, row)) || 1);
}
