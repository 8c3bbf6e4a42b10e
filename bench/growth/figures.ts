// How an index grows: the same data at rising sizes, with what a query, a build, a record and a start cost at each
// (npm run bench:growth).
import '../../src/boot/runtime-flags.ts';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type InProcessIndex, openInProcess } from '../../src/engine/embedded/in-process-index.ts';
import { bytesInMemory } from '../../src/engine/port/engine-metrics.ts';
import { DATA_NAMES, type DataName, type DataSet, openDataSet } from '../peers/data/data-sets.ts';
import { exactTruth, K, type Truth } from '../peers/data/truth.ts';
import { profile, saved, settled } from '../peers/engines/pinyon.ts';
import { cachePath } from '../peers/support/cache.ts';
import { BARE_QUERY } from '../support/bare-query.ts';
import { machine, percentile } from '../support/figures.ts';

/** Records of a write, as the largest batches that clients send. */
const BATCH = 1_000;
const SPEED_ROUNDS = 5;
const HEADERS = [
  'records',
  'recall@10',
  'queries a processor second',
  'distances a query',
  'written and built, processor s (each 1,000 of the new)',
  'memory, bytes a record',
  'disk, bytes a record',
  'start to the first answer, s',
];

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: 'hard' },
    sizes: { type: 'string', default: '10000,30000,100000,300000,1000000' },
    dimension: { type: 'string', default: '768' },
    queries: { type: 'string', default: '200' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  process.stdout.write(`Grows one index and measures it at each size, with the defaults of a caller.

  --data=NAME        of ${DATA_NAMES.join(', ')}
  --sizes=N,N,...    rising; a real set ends at what it has
  --dimension=N      of synthetic data
  --queries=N        of each size

Everything runs in one thread, builds included, and is told in processor seconds, so that a busy machine changes little.
`);
  process.exit(0);
}

function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

async function write({ writer }: InProcessIndex, { base }: DataSet, from: number, until: number) {
  for (let first = from; first < until; first += BATCH) {
    const count = Math.min(BATCH, until - first);
    const rows = base.read(first, first + count);
    const records = Array.from({ length: count }, (_, at) => ({
      id: String(first + at),
      values: rows.subarray(at * base.dimension, (at + 1) * base.dimension),
      sparse: null,
      metadataJson: null,
    }));
    await writer.upsert('', records);
  }
}

const ask = ({ reader }: InProcessIndex, query: Float32Array | undefined) =>
  reader.explainQuery({ ...BARE_QUERY, values: query ?? null, topK: K });

async function recallAndDistances(index: InProcessIndex, { queryRows }: DataSet, truth: Truth) {
  const sums = { recall: 0, distances: 0 };
  for (const [at, query] of queryRows.entries()) {
    const { matches, explanation } = await ask(index, query);
    sums.recall += truth.recall(
      at,
      matches.map(({ id }) => Number(id)),
    );
    sums.distances += explanation.distances;
  }
  return { recall: sums.recall / queryRows.length, distances: sums.distances / queryRows.length };
}

/** Queries a processor second: the median of some rounds. */
async function speed({ reader }: InProcessIndex, { queryRows }: DataSet): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round < SPEED_ROUNDS; round++) {
    const began = processorSeconds();
    for (const query of queryRows) await reader.query({ ...BARE_QUERY, values: query, topK: K });
    rounds.push(queryRows.length / (processorSeconds() - began));
  }
  return percentile(rounds, 0.5);
}

function memoryBytes({ parts }: InProcessIndex): number {
  const { memory } = parts.figures();
  return memory === null ? 0 : bytesInMemory(memory);
}

function diskBytes(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
    statSync(join(folder, name)),
  );
  return files.filter((file) => file.isFile()).reduce((sum, { blocks }) => sum + 512 * blocks, 0);
}

function openAt(folder: string, { metric, dimension }: DataSet): InProcessIndex {
  return openInProcess(profile({ vectorType: 'dense', metric, dimension }), folder, { saveIdleMs: 100 });
}

const name = DATA_NAMES.find((each) => each === values.data) as DataName | undefined;
if (name === undefined) throw new Error(`no such data: ${values.data}`);
const wanted = values.sizes.split(',').map(Number);
const data = await openDataSet(name, {
  records: Math.max(...wanted),
  queries: Number(values.queries),
  dimension: Number(values.dimension),
});
const sizes = [...new Set(wanted.map((size) => Math.min(size, data.records)))];
const folder = cachePath('growth', name);
rmSync(folder, { recursive: true, force: true });
process.stdout.write(
  `${machine()}\n${name}, ${data.dimension} dimensions, ${data.queryRows.length} queries\n\n`,
);
process.stdout.write(`| ${HEADERS.join(' | ')} |\n|${'---|'.repeat(HEADERS.length)}\n`);
let index = openAt(folder, data);
let before = 0;
for (const records of sizes) {
  const truth = await exactTruth({ ...data, records });
  const began = processorSeconds();
  await write(index, data, before, records);
  await settled(index, () => ask(index, data.queryRows[0]));
  const seconds = processorSeconds() - began;
  await saved(index);
  const { recall, distances } = await recallAndDistances(index, data, truth);
  const perSecond = await speed(index, data);
  const memory = memoryBytes(index) / records;
  await index.close();
  const disk = diskBytes(folder) / records;
  const closed = performance.now();
  index = openAt(folder, data);
  await ask(index, data.queryRows[0]);
  const startSeconds = (performance.now() - closed) / 1000;
  const each = (1_000 * seconds) / (records - before);
  const cells = [
    records.toLocaleString('en'),
    recall.toFixed(4),
    perSecond.toFixed(0),
    distances.toFixed(0),
    `${seconds.toFixed(1)} (${each.toFixed(3)})`,
    memory.toFixed(0),
    disk.toFixed(0),
    startSeconds.toFixed(2),
  ];
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
  before = records;
}
await index.close();
rmSync(folder, { recursive: true });
