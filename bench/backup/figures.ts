// Backup and restore over HTTP: their speed, what queries feel of a backup, and the memory. Run: npm run bench:backup

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DataSet, hardDataSet } from '../support/data-set.ts';
import { type Figure, machine, percentile, table } from '../support/figures.ts';
import { ask, call, type Service, startService } from '../support/service.ts';
import { MemoryWatch, processorSeconds } from './memory-watch.ts';

/** 200,000 is what the goals are about. */
const RECORDS = Number(process.env.BENCH_RECORDS ?? 20_000);
const DIMENSION = 768;
const QUERIES = 300;
const BATCH = 100;
const CONNECTIONS = 4;
const PORTS = { base: 15_180 };
const MEGABYTE = 1e6;
const POLL_MS = 20;
/** A build may begin seconds after the last write. */
const QUIET_LOOKS = 20;
const QUIET_MS = 500;

const folder = mkdtempSync(join(tmpdir(), 'pinyon-bench-'));
try {
  const data = hardDataSet({ records: RECORDS, queries: QUERIES, dimension: DIMENSION });
  console.log(`${machine()}; ${RECORDS} x ${DIMENSION}\n`);
  console.log(table(await measure(data)));
} finally {
  rmSync(folder, { recursive: true });
}

async function measure(data: DataSet): Promise<readonly Figure[]> {
  const service = await startService(folder, PORTS);
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  try {
    return await figuresOf(service, agent, data);
  } finally {
    agent.destroy();
    await service.stop();
  }
}

async function figuresOf(service: Service, agent: Agent, data: DataSet): Promise<readonly Figure[]> {
  const rawBytes = RECORDS * DIMENSION * 4;
  const host = await fill(service, agent, data);
  const watch = new MemoryWatch(service.pid);
  const idle = await queryTimes(agent, host, data, async (count) => count < QUERIES);

  const begun = performance.now();
  const { backup_id: id } = await ask(agent, `${service.base}/indexes/bench/backups`, {});
  const backupUrl = `${service.base}/backups/${id}`;
  const stillMaking = async () => (await ask(agent, backupUrl)).status === 'Initializing';
  const busy = await queryTimes(agent, host, data, stillMaking);
  const underQueries = performance.now() - begun;

  const before = processorSeconds(service.pid);
  const alone = await timed(async () => {
    const { backup_id: second } = await ask(agent, `${service.base}/indexes/bench/backups`, {});
    while ((await ask(agent, `${service.base}/backups/${second}`)).status === 'Initializing') await pause();
  });
  const backupSeconds = processorSeconds(service.pid) - before;
  const { size_bytes: stored, status, record_count: records } = await ask(agent, backupUrl);
  if (status !== 'Ready' || records !== RECORDS)
    throw new Error(`the backup is ${status}, ${records} records`);

  const beforeRestore = processorSeconds(service.pid);
  const restored = await timed(async () => {
    const { restore_job_id: job } = await ask(agent, `${backupUrl}/create-index`, { name: 'again' });
    while ((await ask(agent, `${service.base}/restore-jobs/${job}`)).status === 'Pending') await pause();
  });
  const restoreSeconds = processorSeconds(service.pid) - beforeRestore;
  const again = await ask(agent, `${service.base}/indexes/again`);
  const first = await timed(() => ask(agent, `${String(again.host)}/query`, queryBody(data, 0)));
  const copied = copyMs(Number(stored));
  const memory = watch.stop();

  const rate = (ms: number) => rawBytes / MEGABYTE / (ms / 1_000);
  const [idle99, busy99] = [percentile(idle, 0.99), percentile(busy, 0.99)];
  return [
    {
      what: 'backup, nothing else running, raw vectors',
      goal: '>= 150 MB/s',
      measured: `${rate(alone).toFixed(0)} MB/s (${(alone / 1_000).toFixed(2)} s, ${backupSeconds.toFixed(2)} of a processor; ${(Number(stored) / rawBytes).toFixed(2)} stored bytes a raw byte)`,
      met: rate(alone) >= 150,
    },
    {
      what: 'restore until Ready, raw vectors',
      goal: '< 2 x the time of copying the stored bytes within the disk',
      measured: `${rate(restored).toFixed(0)} MB/s (${(restored / 1_000).toFixed(2)} s, ${restoreSeconds.toFixed(2)} of a processor; copy ${(copied / 1_000).toFixed(2)} s)`,
      met: restored < 2 * copied,
    },
    {
      what: 'first query after the restore',
      goal: 'no rebuild',
      measured: `${first.toFixed(0)} ms`,
      met: first < restored,
    },
    {
      what: 'query p99 during a backup',
      goal: '<= 2 x idle',
      measured: `${busy99.toFixed(1)} ms, idle ${idle99.toFixed(1)} ms (${busy.length} queries; that backup ${rate(underQueries).toFixed(0)} MB/s)`,
      met: busy99 <= 2 * idle99,
    },
    {
      what: 'memory of the process above idle, at most',
      goal: '<= 512 MB beside the vectors of the restored index',
      measured: `${memory.toFixed(0)} MB`,
      met: memory - rawBytes / MEGABYTE <= 512,
    },
  ];
}

async function fill(service: Service, agent: Agent, data: DataSet): Promise<string> {
  const spec = { serverless: { cloud: 'aws', region: 'us-east-1' } };
  const facts = { name: 'bench', dimension: DIMENSION, metric: 'cosine', spec };
  const { host } = await ask(agent, `${service.base}/indexes`, facts);
  let next = 0;
  const lane = async () => {
    for (let at = next; at < RECORDS; at = next) {
      next += BATCH;
      await ask(agent, `${String(host)}/vectors/upsert`, upsertBody(data, at));
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  await built(service, agent);
  for (let at = 0; at < QUERIES; at += 1) await ask(agent, `${String(host)}/query`, queryBody(data, at));
  return String(host);
}

/** Resolves when the graph is built and nothing more comes: its threads would be counted with the copies. */
async function built({ base }: Service, agent: Agent): Promise<void> {
  for (let quiet = 0; quiet < QUIET_LOOKS; ) {
    const { text } = await call(agent, `${base}/metrics`);
    quiet = text.includes('pinyon_build_slots{') ? 0 : quiet + 1;
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  }
}

function upsertBody(data: DataSet, first: number): Buffer {
  const vectors = data.base.slice(first, first + BATCH).map((row, at) => ({
    id: `record-${first + at}`,
    values: Array.from(row, (value) => Number(value.toPrecision(9))),
    metadata: { group: at % 10 },
  }));
  return Buffer.from(JSON.stringify({ vectors }));
}

function queryBody(data: DataSet, at: number): Buffer {
  const vector = Array.from(data.queries[at % data.queries.length] ?? []);
  return Buffer.from(JSON.stringify({ vector, topK: 10 }));
}

/** Milliseconds of one query after the other, for as long as `goesOn` says. */
async function queryTimes(
  agent: Agent,
  host: string,
  data: DataSet,
  goesOn: (count: number) => Promise<boolean>,
): Promise<readonly number[]> {
  const times: number[] = [];
  while (await goesOn(times.length)) {
    const body = queryBody(data, times.length);
    times.push(await timed(() => ask(agent, `${host}/query`, body)));
  }
  return times;
}

/** What the disk itself takes for reading and writing as many bytes, flushed at the end. */
function copyMs(bytes: number): number {
  const source = join(folder, 'copy-source');
  writeFileSync(source, Buffer.alloc(bytes, 7), { flush: true });
  const started = performance.now();
  writeFileSync(join(folder, 'copy'), readFileSync(source), { flush: true });
  return performance.now() - started;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, POLL_MS));
}
