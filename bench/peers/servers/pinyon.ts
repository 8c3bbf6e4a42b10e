// Our own service: the real program in its own process.
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Metric } from '../../../src/domain/index-model.ts';
import { untilQuiet } from '../../support/process-load.ts';
import { ask, type Service, startService } from '../../support/service.ts';
import { sliceOf } from '../data/data-sets.ts';
import { cachePath } from '../support/cache.ts';
import { keepTrackOf } from '../support/children.ts';
import { type HttpTarget, httpAnswerLength, httpJson, httpRequest } from './http-wire.ts';
import { Lane } from './lane.ts';
import { sendAll } from './load.ts';
import type { Server } from './server.ts';

/** The key that bench/support/service.ts gives the service. */
const KEY = 'pcsk_benchmark_0123456789abcdefghijklmnopqrstuvwxyz';
/** Where free ports are looked for; the service takes the first of a block, its index the next. */
const PORTS = { first: 15_480, last: 15_980, block: 25 };
const BATCH = 100;
const LOAD_LANES = 4;
const INDEXED_SECONDS_MAX = 1_800;
const UNINDEXED_MAX = 10_000;
const WATCHED_MS = 1_000;
/** Where that is more: of many records. */
const INDEXED_MS_MAX_A_RECORD = 1;

export interface OurServer extends Server {
  readonly target: HttpTarget;
  readonly service: Service;
}

/** Where a service of this name keeps its data. */
export function servicePath(folderName: string): string {
  return cachePath('services', folderName);
}

/** Starts it on a folder of the cache; `isNew` empties the folder and makes the index `bench`. */
export async function startPinyon(
  folderName: string,
  index: { readonly isNew: boolean; readonly dimension: number; readonly metric: Metric },
): Promise<OurServer> {
  const folder = servicePath(folderName);
  if (index.isNew) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const service = await startService(folder, { base: await freePorts() });
  const forget = keepTrackOf(service.pid);
  const agent = new Agent({ keepAlive: true });
  const spec = { serverless: { cloud: 'aws', region: 'us-east-1' } };
  const { dimension, metric } = index;
  const described = index.isNew
    ? await ask(agent, `${service.base}/indexes`, { name: 'bench', dimension, metric, spec })
    : await ask(agent, `${service.base}/indexes/bench`);
  agent.destroy();
  const target = { port: Number(new URL(String(described.host)).port), headers: { 'api-key': KEY } };
  const open = () => Lane.open({ port: target.port, host: 'localhost' }, httpAnswerLength);
  const upsertRequest = (first: number, rows: readonly Float32Array[]) =>
    httpRequest(target, '/vectors/upsert', {
      vectors: rows.map((row, at) => ({
        id: String(first + at),
        values: numbersOf(row),
        metadata: { slice: sliceOf(first + at) },
      })),
    });
  const request: Server['request'] = (query, k, passing) =>
    httpRequest(target, '/query', {
      vector: numbersOf(query),
      topK: k,
      ...(passing !== null && { filter: { slice: { $lt: passing } } }),
    });
  return {
    name: 'Pinyon',
    version: 'this commit',
    searches: [{}],
    filterSearches: [{}],
    target,
    service,
    upsertRequest,
    request,
    open,
    choose: async () => {},
    load: async (data) => {
      const started = performance.now();
      const lanes = await Promise.all(Array.from({ length: LOAD_LANES }, open));
      const seconds = await sendAll(lanes, upserts(data.base.pieces(BATCH), upsertRequest), httpJson);
      // Nothing is loaded, and nothing built, before somebody asks.
      const anyQuery = request(data.queryRows[0] ?? new Float32Array(), 1, null);
      httpJson(await (await open()).ask(anyQuery));
      const secondsMax = Math.max(INDEXED_SECONDS_MAX, (INDEXED_MS_MAX_A_RECORD * data.records) / 1_000);
      await untilIndexed(service, secondsMax);
      for (const lane of lanes) lane.close();
      return { seconds, indexedSeconds: (performance.now() - started) / 1000 };
    },
    ids: (answer) => (httpJson(answer) as { matches: { id: string }[] }).matches.map(({ id }) => Number(id)),
    pid: () => service.pid,
    stop: async () => {
      await service.stop();
      forget();
    },
  };
}

/**
 * Resolves once all records but some thousands, as many as no graph is built for, are in graphs, and nothing is done any
 * more. Quiet alone says too little: a build may wait for the disk. @throws when that takes longer than `secondsMax`
 */
export async function untilIndexed({ base, pid }: Service, secondsMax: number): Promise<void> {
  const deadline = performance.now() + 1000 * secondsMax;
  while ((await unindexedSlots(base)) > UNINDEXED_MAX) {
    if (performance.now() > deadline) throw new Error('the records are not in graphs yet');
    await pause(WATCHED_MS);
  }
  await untilQuiet(pid, secondsMax);
}

async function unindexedSlots(base: string): Promise<number> {
  const metrics = await (await fetch(`${base}/metrics`, { headers: { 'api-key': KEY } })).text();
  const samples = metrics.matchAll(/^pinyon_unindexed_slots(?:{[^}]*})? (\S+)$/gm);
  return [...samples].reduce((sum, [, value]) => sum + Number(value), 0);
}

function* upserts(
  pieces: Iterable<{ readonly first: number; readonly rows: readonly Float32Array[] }>,
  request: (first: number, rows: readonly Float32Array[]) => Buffer,
): Generator<Buffer> {
  for (const { first, rows } of pieces) yield request(first, rows);
}

/** The first port of a block that nobody else listens on. @throws when there is none */
async function freePorts(): Promise<number> {
  for (let base = PORTS.first; base <= PORTS.last; base += PORTS.block)
    if ((await isFree(base)) && (await isFree(base + 1))) return base;
  throw new Error(`other processes listen on the ports from ${PORTS.first} to ${PORTS.last}`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

const DECIMALS = 1e9;

/** Floats with nine decimals: about as long as clients send them, and as exact as scores are compared. */
export function numbersOf(row: Float32Array): readonly number[] {
  return Array.from(row, (value) => Math.round(value * DECIMALS) / DECIMALS);
}
