// What searches by pgvector's graph find in real embeddings by default, with filters that 90 to 0.1 % of the records match:
// `npm run bench:postgres:recall`. With `--namespaces=20`, what they find in one of so many namespaces without a filter.
import '../../src/boot/runtime-flags.ts';
import { parseArgs } from 'node:util';
import type { IndexProfile } from '../../src/domain/index-model.ts';
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
const NAMESPACE_TOP_KS = [10, 100] as const;
/** Thousandths of the records that match: a record's number, scattered, is below. */
const SHARES = [1_000, 900, 500, 100, 10, 1] as const;
const THOUSANDTHS = 1_000;
/** Of two sums of the same products. */
const ROUNDING = 2e-6;

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '20000' },
    queries: { type: 'string', default: '200' },
    namespaces: { type: 'string', default: '1' },
  },
});
const NAMESPACES = Number(values.namespaces);
/** More than are searched exactly: the records of each namespace, as the server is told. */
const COUNTED_RECORDS = 20_000;

const reason = whyNotHere() ?? whyNoPgvector();
if (reason === null) await run();
else process.stdout.write(`SKIPPED: no PostgreSQL with pgvector can be run here: ${reason}\n`);

async function run(): Promise<void> {
  const set = await packagesSet({ records: Number(values.records), queries: Number(values.queries) });
  const server = await startPostgres();
  const url = await server.newDatabase();
  const engine = await PostgresEngine.open({ url, connectionsMax: 4 });
  try {
    process.stdout.write(
      `${machine()}\n${set.name}, ${set.base.length} x ${set.dimension}, ${values.queries} queries of each kind, ` +
        `topK ${TOP_K}: recall, and the share of searches that were exact\n\n`,
    );
    const index = await fill(engine, set);
    if (NAMESPACES === 1) await measure(engine, index, set);
    else {
      await server.run(
        `update pinyon_records."namespaces_${index.id}" set records = ${COUNTED_RECORDS}`,
        url,
      );
      await measureNamespaces(engine, index, set);
    }
  } finally {
    await engine.close();
    await server.stop();
  }
}

/** Gives each namespace every so many-th record. */
async function fill(engine: PostgresEngine, set: RealSet): Promise<IndexProfile> {
  const index = profile({ vectorType: 'dense', metric: set.metric, dimension: set.dimension });
  await engine.createIndex(index);
  const records = set.base.map((values, at) => ({
    ...{ id: String(at), values, sparse: null },
    metadataJson: JSON.stringify({ slice: sliceOf(at) }),
  }));
  for (const [namespace, own] of Map.groupBy(records, ({ id }) => namespaceOf(Number(id))))
    for (let first = 0; first < own.length; first += BATCH)
      await engine.writer(index).upsert(namespace, own.slice(first, first + BATCH));
  return index;
}

function namespaceOf(position: number): string {
  return NAMESPACES === 1 ? '' : `n${position % NAMESPACES}`;
}

/** Each query asks the next namespace. */
async function measureNamespaces(engine: PostgresEngine, index: IndexProfile, set: RealSet): Promise<void> {
  const reader = engine.reader(index);
  process.stdout.write(`one of ${NAMESPACES} namespaces:\n`);
  for (const [kind, queries] of set.kinds)
    for (const topK of NAMESPACE_TOP_KS) {
      let found = 0;
      let expected = 0;
      for (const [at, query] of queries.entries()) {
        const namespace = namespaceOf(at);
        const own = (position: number) => namespaceOf(position) === namespace;
        const least = leastOf(set, query, { isAmong: own, topK });
        const matches = await reader.query({ ...BARE_QUERY, namespace, values: query, topK });
        found += matches.filter(({ id }) => cosine(query, set.base[Number(id)]) >= least.score).length;
        expected += least.count;
      }
      process.stdout.write(`- ${kind}, topK ${topK}: ${(found / expected).toFixed(4)}\n`);
    }
}

async function measure(engine: PostgresEngine, index: IndexProfile, set: RealSet): Promise<void> {
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
        const isAmong = (position: number) => sliceOf(position) < share;
        const least = leastOf(set, query, { isAmong, topK: TOP_K });
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
function leastOf(
  { base }: RealSet,
  query: Float32Array,
  { isAmong, topK }: { readonly isAmong: (position: number) => boolean; readonly topK: number },
) {
  const scores = base.flatMap((row, at) => (isAmong(at) ? [cosine(query, row)] : []));
  const top = scores.sort((one, other) => other - one).slice(0, topK);
  return { count: top.length, score: (top.at(-1) ?? 0) - ROUNDING };
}

function cosine(query: Float32Array, row: Float32Array | undefined): number {
  if (row === undefined) return Number.NEGATIVE_INFINITY;
  return dotOf(query, row) / (Math.sqrt(dotOf(query, query) * dotOf(row, row)) || 1);
}
