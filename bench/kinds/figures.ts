// Recall by default over kinds of vectors that the engine was not tuned on, with and without filters (npm run bench:kinds).
import '../../src/boot/runtime-flags.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Filter } from '../../src/domain/filter/grammar.ts';
import { type InProcessIndex, openInProcess } from '../../src/engine/embedded/in-process-index.ts';
import { Random } from '../../src/engine/embedded/kernels/testing/hard-vectors.ts';
import { profile, settled } from '../peers/engines/pinyon.ts';
import { BARE_QUERY } from '../support/bare-query.ts';
import { machine } from '../support/figures.ts';
import { KINDS, type Kind } from './kinds.ts';

const BATCH = 1_000;
/** Shares of the records that a filter lets pass. */
const SHARES = [1, 0.5, 0.1, 0.01];
const TOP_KS = [1, 10, 100];
/** By which a score that counts as good as the wanted one may be worse, as a share of the largest sum in it. */
const ROUNDING = 1e-5;
const RECALL_MIN = 0.98;
const POOR = 0.8;
const POOR_SHARE_MAX = 0.01;

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '40000' },
    queries: { type: 'string', default: '60' },
    kinds: { type: 'string', default: '' },
    memory: { type: 'string', default: 'memory' },
    seed: { type: 'string', default: '7' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  process.stdout.write(`Measures recall by default on kinds of vectors, and the distances that a query takes.

  --records=N   of each kind
  --queries=N   of each kind
  --kinds=a,b   only kinds whose name has one of these
  --memory=NAME the memory profile: memory, disk
  --seed=N      of all that is random
`);
  process.exit(0);
}

const memoryProfile = values.memory === 'disk' ? 'disk' : 'memory';

interface Cell {
  recall: number;
  poor: number;
  distances: number;
  queries: number;
}

process.stdout.write(
  `${machine()}\n${values.records} records and ${values.queries} queries of each kind\n\n`,
);
const columns = SHARES.flatMap((share) => TOP_KS.map((topK) => `${100 * share} %, top ${topK}`));
process.stdout.write(
  `| kind | metric | ${columns.join(' | ')} | distances, top 10 |\n|${'---|'.repeat(columns.length + 3)}\n`,
);
let missed = 0;
let cells = 0;
const wanted = values.kinds.split(',');
for (const kind of KINDS.filter(({ name }) => wanted.some((part) => name.includes(part)))) {
  const measured = await measure(kind);
  const texts = measured.map((cell) => {
    const recall = cell.recall / cell.queries;
    const isMet = recall >= RECALL_MIN && cell.poor <= POOR_SHARE_MAX * cell.queries;
    cells++;
    if (isMet) return recall.toFixed(3);
    missed++;
    return `**${recall.toFixed(3)}** (${cell.poor})`;
  });
  const at = measured[TOP_KS.indexOf(10)];
  const distances = at === undefined ? '' : Math.round(at.distances / at.queries);
  process.stdout.write(`| ${kind.name} | ${kind.metric} | ${texts.join(' | ')} | ${distances} |\n`);
}
process.stdout.write(`\n${missed} of ${cells} missed; in brackets, queries with a recall below ${POOR}\n`);

async function measure(kind: Kind): Promise<readonly Cell[]> {
  const random = new Random(Number(values.seed));
  const { row, query } = kind.source(random);
  const rows = Array.from({ length: Number(values.records) }, row);
  const queries = Array.from({ length: Number(values.queries) }, query);
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-kinds-'));
  const index = openInProcess({ ...profile({ vectorType: 'dense', ...kind }), memoryProfile }, folder);
  try {
    await fill(index, rows);
    const ask = () => index.reader.query({ ...BARE_QUERY, values: queries[0] ?? null, topK: 1 });
    await settled(index, ask);
    const all: Cell[] = SHARES.flatMap(() =>
      TOP_KS.map(() => ({ recall: 0, poor: 0, distances: 0, queries: 0 })),
    );
    for (const asked of queries) {
      const scores = rows.map((each) => scoreOf(kind, asked, each));
      for (const [at, cell] of all.entries()) {
        const share = SHARES[Math.floor(at / TOP_KS.length)] ?? 1;
        const topK = TOP_KS[at % TOP_KS.length] ?? 1;
        await judge(index, { cell, asked, scores, share, topK });
      }
    }
    return all;
  } finally {
    await index.close();
    rmSync(folder, { recursive: true });
  }
}

async function fill({ writer }: InProcessIndex, rows: readonly Float32Array[]): Promise<void> {
  for (let first = 0; first < rows.length; first += BATCH) {
    const records = rows.slice(first, first + BATCH).map((each, at) => ({
      id: String(first + at),
      values: each,
      sparse: null,
      metadataJson: `{"slice":${sliceOf(first + at)}}`,
    }));
    await writer.upsert('', records);
  }
}

/** 0 to 99, in no order that rows have. */
function sliceOf(at: number): number {
  return ((at * 2_654_435_761) >>> 0) % 100;
}

function below(bound: number): Filter {
  return { kind: 'field', field: 'slice', test: { op: 'compare', relation: 'lt', bound } };
}

interface Score {
  /** Higher is better. */
  readonly value: number;
  /** The largest sum in it. */
  readonly scale: number;
}

interface Judged {
  readonly cell: Cell;
  readonly asked: Float32Array;
  readonly scores: readonly Score[];
  readonly share: number;
  readonly topK: number;
}

async function judge(
  { reader }: InProcessIndex,
  { cell, asked, scores, share, topK }: Judged,
): Promise<void> {
  const isIn = (at: number) => sliceOf(at) < 100 * share;
  const filter = share === 1 ? null : below(100 * share);
  const { matches, explanation } = await reader.explainQuery({ ...BARE_QUERY, filter, values: asked, topK });
  const best = scores.filter((_, at) => isIn(at)).sort((a, b) => b.value - a.value);
  const wanted = Math.min(topK, best.length);
  const least = best[wanted - 1];
  if (least === undefined) return;
  const found = new Set(matches.map(({ id }) => Number(id)));
  let good = 0;
  for (const at of found) {
    const score = scores[at];
    if (
      score !== undefined &&
      isIn(at) &&
      score.value >= least.value - ROUNDING * Math.max(Math.abs(least.value), 1e-7 * least.scale)
    )
      good++;
  }
  const recall = Math.min(good, wanted) / wanted;
  cell.recall += recall;
  cell.poor += Number(recall < POOR);
  cell.distances += explanation.distances;
  cell.queries++;
}

/** Plainly, in doubles. */
function scoreOf({ metric }: Kind, query: Float32Array, row: Float32Array): Score {
  let dot = 0;
  let apart = 0;
  let ofQuery = 0;
  let ofRow = 0;
  for (const [at, value] of row.entries()) {
    const asked = query[at] ?? 0;
    dot += asked * value;
    apart += (asked - value) ** 2;
    ofQuery += asked * asked;
    ofRow += value * value;
  }
  if (metric === 'euclidean') return { value: -apart, scale: ofQuery + ofRow };
  if (metric === 'dotproduct') return { value: dot, scale: Math.sqrt(ofQuery * ofRow) };
  return { value: dot / Math.sqrt(ofQuery * ofRow || 1), scale: 1 };
}
