// An index that fills a machine: written, indexed, asked, started again, then kept on disk (npm run bench:large).
import '../../src/boot/runtime-flags.ts';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { EXPLAIN_HEADER } from '../../src/api/rest/records/explain.ts';
import { type DataSet, openDataSet } from '../peers/data/data-sets.ts';
import { exactTruth, K, type Truth } from '../peers/data/truth.ts';
import { httpJson, httpRequest } from '../peers/servers/http-wire.ts';
import { keepAsking } from '../peers/servers/load.ts';
import {
  numbersOf,
  type OurServer,
  servicePath,
  startPinyon,
  untilIndexed,
} from '../peers/servers/pinyon.ts';
import { dropFromPageCache } from '../peers/support/page-cache.ts';
import { progress } from '../peers/support/progress.ts';
import { machine, percentile } from '../support/figures.ts';
import { processorSeconds, readFromDisk, untilQuiet } from '../support/process-load.ts';
import { familyMemory } from '../support/process-memory.ts';
import { KEY } from '../support/service.ts';

const FOLDER = 'large';
const GIBIBYTE = 2 ** 30;
const LANES = 16;
const LOAD_SECONDS = 10;
const WATCHED_MS = 1_000;
const MOVE_SECONDS_MAX = 7_200;
const INDEX_SECONDS_MAX = 14_400;
const SUMMED = ['distances', 'rowsScored', 'unindexed', 'expectedRecall'] as const;
const STEPS = ['load', 'index', 'ask', 'restart', 'disk', 'cold'] as const;
/** All but `index`, which is for an index that an earlier run wrote but did not see indexed. */
const USUAL_STEPS = STEPS.filter((step) => step !== 'index');

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '10000000' },
    dimension: { type: 'string', default: '768' },
    queries: { type: 'string', default: '100' },
    steps: { type: 'string', default: USUAL_STEPS.join(',') },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  process.stdout.write(`Writes many records to a server and measures what a person waits for.

  --records=N
  --dimension=N
  --queries=N       other rows of the same distribution
  --steps=a,b       of ${STEPS.join(', ')}; without load, the index of an earlier run

BENCH_CACHE is where the rows (2 bytes a component) and the server's data (about 4.5) go. Settings of the server are taken
from the environment, such as PINYON_MEMORY_MEBIBYTES_MAX.
`);
  process.exit(0);
}

const began = performance.now();
function tell(what: string): void {
  process.stdout.write(`${((performance.now() - began) / 1000).toFixed(0).padStart(6)} s  ${what}\n`);
}

const gibibytes = (bytes: number) => `${(bytes / GIBIBYTE).toFixed(2)} GiB`;

/** The most that a server holds while something goes on. */
async function watched<Value>(server: OurServer, what: string, work: () => Promise<Value>): Promise<Value> {
  let [held, isOver] = [0, false];
  const watch = async () => {
    for (; !isOver; await pause(WATCHED_MS)) held = Math.max(held, familyMemory(server.pid()).held);
  };
  const watching = watch();
  const from = { ms: performance.now(), processor: processorSeconds(server.pid()) };
  const value = await work();
  const seconds = (performance.now() - from.ms) / 1000;
  const busy = processorSeconds(server.pid()) - from.processor;
  isOver = true;
  await watching;
  tell(
    `${what}: ${seconds.toFixed(1)} s, ${busy.toFixed(1)} s of processor time, at most ${gibibytes(held)} held`,
  );
  return value;
}

function diskBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false }))
    .reduce((sum, file) => sum + (file?.isFile() ? 512 * file.blocks : 0), 0);
}

function tellSizes(server: OurServer): void {
  const { held, resident } = familyMemory(server.pid());
  const disk = gibibytes(diskBytes(servicePath(FOLDER)));
  tell(`memory: ${gibibytes(held)} held, ${gibibytes(resident)} resident; disk ${disk}`);
}

/** One after the other: recall, and what a single caller waits. */
async function askEach(server: OurServer, { queryRows }: DataSet, truth: Truth, what: string): Promise<void> {
  const lane = await server.open({}, null);
  const before = { read: readFromDisk(server.pid()), processor: processorSeconds(server.pid()) };
  const [recalls, times]: [number[], number[]] = [[], []];
  for (const [at, row] of queryRows.entries()) {
    const request = server.request(row, K, null);
    const asked = performance.now();
    const answer = await lane.ask(request);
    times.push(performance.now() - asked);
    recalls.push(truth.recall(at, server.ids(answer)));
  }
  lane.close();
  const recall = recalls.reduce((sum, one) => sum + one, 0) / recalls.length;
  const poor = recalls.filter((one) => one < 0.8).length;
  const [p50, p99] = [percentile(times, 0.5).toFixed(2), percentile(times, 0.99).toFixed(2)];
  const read = (readFromDisk(server.pid()) - before.read) / queryRows.length / 1024;
  const each = (1000 * (processorSeconds(server.pid()) - before.processor)) / queryRows.length;
  tell(
    `${what}: recall ${recall.toFixed(4)}, ${poor} below 0.8; first ${times[0]?.toFixed(1)} ms, p50 ${p50} ms, p99 ${p99} ms; ` +
      `${each.toFixed(2)} ms of processor time and ${read.toFixed(0)} KiB from disk each`,
  );
}

/** What a search does: means of all queries. */
async function explainEach(server: OurServer, { queryRows }: DataSet): Promise<void> {
  const headers = { ...server.target.headers, [EXPLAIN_HEADER]: 'true' };
  const lane = await server.open({}, null);
  const sums = { distances: 0, rowsScored: 0, unindexed: 0, expectedRecall: 0 };
  for (const row of queryRows) {
    const request = httpRequest({ ...server.target, headers }, '/query', { vector: numbersOf(row), topK: K });
    const { explain } = httpJson(await lane.ask(request)) as { readonly explain: typeof sums };
    for (const name of SUMMED) sums[name] += explain[name] / queryRows.length;
  }
  lane.close();
  tell(`explained: ${SUMMED.map((name) => `${name} ${sums[name].toFixed(2)}`).join(', ')}`);
}

async function askTogether(server: OurServer, { queryRows }: DataSet): Promise<void> {
  const lanes = await Promise.all(Array.from({ length: LANES }, () => server.open({}, null)));
  const requests = queryRows.map((row) => server.request(row, K, null));
  const { qps, p50Ms, p99Ms, answers } = await keepAsking(lanes, requests, { seconds: LOAD_SECONDS });
  for (const answer of answers.values()) httpJson(answer);
  for (const lane of lanes) lane.close();
  tell(
    `${LANES} callers: ${qps.toFixed(0)} queries/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
  );
}

async function memoryProfile(server: OurServer, method: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${server.service.base}/indexes/bench/memory`, {
    method,
    headers: { 'api-key': KEY, 'content-type': 'application/json' },
    ...(method === 'PUT' && { body: JSON.stringify({ profile: 'disk' }) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} of the memory profile: ${response.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

async function moveToDisk(server: OurServer): Promise<void> {
  await memoryProfile(server, 'PUT');
  const deadline = performance.now() + 1000 * MOVE_SECONDS_MAX;
  while ((await memoryProfile(server, 'GET')).in_force !== 'disk') {
    if (performance.now() > deadline) throw new Error('the index did not move to disk');
    await pause(WATCHED_MS);
  }
  await untilQuiet(server.pid(), MOVE_SECONDS_MAX);
}

async function startAgain(data: DataSet, what: string): Promise<OurServer> {
  const started = performance.now();
  const server = await startPinyon(FOLDER, { ...data, isNew: false });
  const lane = await server.open({}, null);
  const [first = new Float32Array()] = data.queryRows;
  httpJson(await lane.ask(server.request(first, K, null)));
  lane.close();
  const read = gibibytes(readFromDisk(server.pid()));
  tell(
    `${what}: ${((performance.now() - started) / 1000).toFixed(2)} s to the first answer, ${read} read from disk`,
  );
  return server;
}

/** Builds what an earlier run lacks: nothing is loaded before somebody asks, who may have to wait too long. */
async function indexAll(server: OurServer, { queryRows }: DataSet): Promise<void> {
  const request = server.request(queryRows[0] ?? new Float32Array(), 1, null);
  for (let isLoaded = false; !isLoaded; ) {
    const lane = await server.open({}, null);
    isLoaded = await lane.ask(request).then(
      () => true,
      () => false,
    );
    lane.close();
  }
  await untilIndexed(server.service, INDEX_SECONDS_MAX);
}

const size = { records: Number(values.records), queries: Number(values.queries) };
const steps = values.steps.split(',');
process.stdout.write(`${machine()}\n`);
progress('rows');
const data = await openDataSet('pooled', { ...size, dimension: Number(values.dimension) }, { isHalf: true });
progress('exact answers');
const truth = await exactTruth(data);
tell(`${data.records} x ${data.dimension}, ${data.queries} queries`);
let server: OurServer;
if (steps.includes('load')) {
  server = await startPinyon(FOLDER, { ...data, isNew: true });
  const loaded = server;
  const cost = await watched(server, 'written and indexed', () => loaded.load(data));
  tell(`of that, written ${cost.seconds.toFixed(1)} s`);
} else if (steps.includes('index')) {
  server = await startPinyon(FOLDER, { ...data, isNew: false });
  const opened = server;
  await watched(opened, 'indexed', () => indexAll(opened, data));
} else {
  server = await startAgain(data, 'started');
}
const running = () => server;
const ask = async (what: string) => {
  await askEach(running(), data, truth, `${what}, at first`);
  await askEach(running(), data, truth, `${what}, again`);
  await explainEach(running(), data);
  await askTogether(running(), data);
  tellSizes(running());
};
if (steps.includes('ask')) await ask('in memory');
const restart = async (what: string) => {
  const stopping = performance.now();
  await running().stop();
  tell(`stopped in ${((performance.now() - stopping) / 1000).toFixed(1)} s`);
  dropFromPageCache(servicePath(FOLDER));
  server = await startAgain(data, `${what}, files dropped from the page cache`);
  await untilQuiet(server.pid(), MOVE_SECONDS_MAX);
  await running().stop();
  server = await startAgain(data, `${what}, files in the page cache`);
};
if (steps.includes('restart')) {
  await restart('started again');
  await ask('started again');
}
if (steps.includes('disk')) {
  await watched(server, 'moved to disk', () => moveToDisk(running()));
  await ask('on disk');
}
if (steps.includes('cold')) {
  await restart('started on disk');
  await ask('started on disk');
}
await running().stop();
