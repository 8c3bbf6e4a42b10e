// The calls that take longest, on 100,000 x 384 records with metadata: wall time, and processor time of the server. Run:
// npm run bench:calls; BENCH_PROGRAM names another release's command to compare with.
import '../../src/boot/runtime-flags.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createIndex } from '../fairness/requests.ts';
import { hardDataSet } from '../support/data-set.ts';
import { machine, percentile } from '../support/figures.ts';
import { processorSeconds } from '../support/process-load.ts';
import { ask, call, type Service, startService } from '../support/service.ts';

const RECORDS = Number(process.env.BENCH_RECORDS ?? 100_000);
const DIMENSION = 384;
const PORTS = { base: 15_380 };
const TENTH = RECORDS / 10;
const ROUNDS = 5;
const BATCH = 200;
const TEXT_REPEATS = 20;
const BUILT_MS_MAX = 300_000;

interface Taken {
  readonly wallMs: number;
  readonly cpuMs: number;
}

const data = hardDataSet({ records: RECORDS, queries: ROUNDS, dimension: DIMENSION });
const folder = mkdtempSync(join(tmpdir(), 'pinyon-calls-'));
const agent = new Agent({ keepAlive: true });
try {
  console.log(`${machine()}; ${RECORDS} x ${DIMENSION}; medians of ${ROUNDS}\n`);
  console.log('| call | ms | processor ms |\n|---|---|---|');
  let service = await startService(folder, PORTS);
  const host = await createIndex(service.base, 'calls', DIMENSION);
  await fill(host);
  const query = (i: number) => () => ask(agent, `${host}/query`, { vector: vector(i), topK: 10 });
  show('first query after the load', [await timed(service, query(1))]);
  const began = performance.now();
  while ((await idleCpuMs(service)) > 200 && performance.now() - began < BUILT_MS_MAX);
  console.log(`| quiet after the load | ${(performance.now() - began).toFixed(0)} | |`);
  await repeated(service, 'query, top 10', query);
  await repeated(
    service,
    'query, top 10,000 with metadata',
    (i) => () => ask(agent, `${host}/query`, { vector: vector(i), topK: 10_000, includeMetadata: true }),
  );
  await repeated(service, 'fetch of 1,000 ids', (i) => () => fetched(host, i));
  await repeated(
    service,
    'update by filter of a tenth',
    (i) => () => ask(agent, `${host}/vectors/update`, { filter: tenth(i), setMetadata: { round: i } }),
  );
  await repeated(
    service,
    'delete by filter of a tenth',
    (i) => () => ask(agent, `${host}/vectors/delete`, { filter: tenth(i) }),
  );
  await service.stop();
  service = await startService(folder, PORTS);
  show('first query after a restart', [await timed(service, query(2))]);
  show('second query after a restart', [await timed(service, query(3))]);
  await service.stop();
} finally {
  agent.destroy();
  rmSync(folder, { recursive: true });
}

/** Records with a number and a text as metadata. */
async function fill(host: string): Promise<void> {
  for (let first = 0; first < RECORDS; first += BATCH) {
    const vectors = data.base.slice(first, first + BATCH).map((row, i) => ({
      id: `record-${first + i}`,
      values: [...row],
      metadata: { number: first + i, text: `text ${first + i} `.repeat(TEXT_REPEATS) },
    }));
    await ask(agent, `${host}/vectors/upsert`, { vectors });
  }
}

function vector(i: number): readonly number[] {
  return [...(data.queries[i] ?? [])];
}

async function repeated(
  service: Service,
  what: string,
  of: (i: number) => () => Promise<unknown>,
): Promise<void> {
  const all: Taken[] = [];
  for (let i = 0; i < ROUNDS; i++) all.push(await timed(service, of(i)));
  show(what, all);
}

async function timed({ pid }: Service, work: () => Promise<unknown>): Promise<Taken> {
  const cpuMs = 1_000 * processorSeconds(pid);
  const began = performance.now();
  await work();
  return { wallMs: performance.now() - began, cpuMs: 1_000 * processorSeconds(pid) - cpuMs };
}

function show(what: string, all: readonly Taken[]): void {
  const median = (values: readonly number[]) => percentile(values, 0.5).toFixed(0);
  console.log(
    `| ${what} | ${median(all.map(({ wallMs }) => wallMs))} | ${median(all.map(({ cpuMs }) => cpuMs))} |`,
  );
}

function fetched(host: string, round: number): Promise<unknown> {
  const ids = Array.from({ length: 1_000 }, (_, i) => `ids=record-${(i * 97 + round) % RECORDS}`);
  return call(agent, `${host}/vectors/fetch?${ids.join('&')}`);
}

function tenth(i: number): object {
  return { number: { $gte: i * TENTH, $lt: (i + 1) * TENTH } };
}

/** Processor time that the server takes in half a second of nothing asked. */
async function idleCpuMs({ pid }: Service): Promise<number> {
  const before = 1_000 * processorSeconds(pid);
  await pause(500);
  return 1_000 * processorSeconds(pid) - before;
}
