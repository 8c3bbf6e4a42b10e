// Chroma's server: the newest release on PyPI, in a Python environment that the benchmark makes in its cache.
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { untilQuiet } from '../../support/process-load.ts';
import type { DataSet } from '../data/data-sets.ts';
import { sliceOf } from '../data/data-sets.ts';
import { cachePath } from '../support/cache.ts';
import { end, start, untilReady } from '../support/children.ts';
import { pythonPackage } from '../support/python-package.ts';
import { type HttpTarget, httpAnswerLength, httpJson, httpRequest } from './http-wire.ts';
import { Lane } from './lane.ts';
import { sendAll } from './load.ts';
import type { Server } from './server.ts';

const PORT = 15_470;
const DATABASE = '/api/v2/tenants/default_tenant/databases/default_database';
/** Near the most that the server takes; smaller ones are several times slower. */
const LOAD_BATCH = 2_000;
const LOAD_LANES = 2;
const EF_SEARCHES = [100, 50, 200, 400];
const INDEXED_SECONDS_MAX = 1_800;

export async function startChroma(dimension: number): Promise<Server> {
  const { bin, version } = await pythonPackage('chromadb');
  const folder = cachePath('services', 'chroma');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  let child = await serve(bin, folder);
  const target: HttpTarget = { port: PORT, headers: {} };
  const open = () => Lane.open({ port: PORT, host: '127.0.0.1' }, httpAnswerLength);
  const call = async (path: string, body: unknown, method = 'POST') => {
    const lane = await open();
    const answer = await lane.ask(httpRequest(target, `${DATABASE}${path}`, body, method));
    lane.close();
    return httpJson(answer);
  };
  const hnsw = { space: 'cosine', ef_construction: 128, max_neighbors: 16, ef_search: EF_SEARCHES[0] };
  const created = await call('/collections', { name: 'bench', configuration: { hnsw } });
  const collection = `/collections/${(created as { id: string }).id}`;
  let chosen = EF_SEARCHES[0];
  const upsertRequest = (first: number, rows: readonly Float32Array[]) =>
    httpRequest(target, `${DATABASE}${collection}/upsert`, {
      ids: rows.map((_, at) => String(first + at)),
      // What Chroma's own clients send: the floats' bytes, which are quicker to read than digits.
      embeddings: rows.map((row) =>
        Buffer.from(row.buffer, row.byteOffset, row.byteLength).toString('base64'),
      ),
      metadatas: rows.map((_, at) => ({ slice: sliceOf(first + at) })),
    });
  return {
    name: 'Chroma',
    version,
    searches: EF_SEARCHES.map((efSearch) => ({ efSearch })),
    filterSearches: [],
    upsertRequest,
    open,
    choose: async ({ efSearch = chosen }) => {
      if (efSearch === chosen) return;
      await call(collection, { new_configuration: { hnsw: { ef_search: efSearch } } }, 'PUT');
      chosen = efSearch;
      // A running server keeps to the old value.
      await end(child);
      child = await serve(bin, folder);
      await call(`${collection}/query`, anyQuery(dimension));
    },
    load: (data) => load(data, { open, upsertRequest, call, collection, pid: child.pid ?? 0 }),
    request: (query, k, passing) =>
      httpRequest(target, `${DATABASE}${collection}/query`, {
        query_embeddings: [Array.from(query, (value) => Number(value.toPrecision(9)))],
        n_results: k,
        include: [],
        ...(passing !== null && { where: { slice: { $lt: passing } } }),
      }),
    ids: (answer) => ((httpJson(answer) as { ids: string[][] }).ids[0] ?? []).map(Number),
    pid: () => child.pid ?? 0,
    stop: async () => {
      await end(child);
    },
  };
}

function anyQuery(dimension: number): unknown {
  return { query_embeddings: [Array.from({ length: dimension }, () => 1)], n_results: 1, include: [] };
}

async function serve(bin: string, folder: string): Promise<ChildProcess> {
  const options = ['run', '--path', folder, '--host', '127.0.0.1', '--port', String(PORT)];
  const child = start(`${bin}/chroma`, options, {
    stdio: ['ignore', 'ignore', 'ignore'],
    env: { ...process.env, ANONYMIZED_TELEMETRY: 'FALSE' },
  });
  await untilReady(child, async () => (await fetch(`http://127.0.0.1:${PORT}/api/v2/heartbeat`)).ok);
  return child;
}

async function load(
  data: DataSet,
  chroma: {
    open(): Promise<Lane>;
    upsertRequest(first: number, rows: readonly Float32Array[]): Buffer;
    call(path: string, body: unknown, method?: string): Promise<unknown>;
    readonly collection: string;
    readonly pid: number;
  },
) {
  function* requests() {
    for (const { first, rows } of data.base.pieces(LOAD_BATCH)) yield chroma.upsertRequest(first, rows);
  }
  const started = performance.now();
  const lanes = await Promise.all(Array.from({ length: LOAD_LANES }, chroma.open));
  const seconds = await sendAll(lanes, requests(), httpJson);
  for (const lane of lanes) lane.close();
  // A query takes in what waits in the log.
  await chroma.call(`${chroma.collection}/query`, anyQuery(data.dimension));
  await untilQuiet(chroma.pid, INDEXED_SECONDS_MAX);
  return { seconds, indexedSeconds: (performance.now() - started) / 1000 };
}
