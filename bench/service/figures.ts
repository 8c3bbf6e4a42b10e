// The service's everyday figures over HTTP, on an empty folder and on 100,000 x 768 records. Run: npm run bench:service
import '../../src/boot/runtime-flags.ts';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type DataSet, exactTop, hardDataSet } from '../support/data-set.ts';
import { type Figure, machine, percentile, table } from '../support/figures.ts';
import { ask, type Service, startService } from '../support/service.ts';

const RECORDS = Number(process.env.BENCH_RECORDS ?? 100_000);
const QUERIES = 200;
const BATCH = 100;
const CONNECTIONS = 4;
const K = 10;
const LOAD_MS = 10_000;
const PORTS = { base: 15_080 };
/** One record in ten matches the filtered queries. */
const GROUPS = 10;

const folder = mkdtempSync(join(tmpdir(), 'pinyon-bench-'));
try {
  const data = hardDataSet({ records: RECORDS, queries: QUERIES, dimension: 768 });
  console.log(`${machine()}; ${RECORDS} x ${data.dimension}\n`);
  console.log(table(await measure(data)));
} finally {
  rmSync(folder, { recursive: true });
}

async function measure(data: DataSet): Promise<Figure[]> {
  const figures: Figure[] = [];
  const report = (what: string, goal: string, measured: string, met: boolean) =>
    figures.push({ what, goal, measured, met });
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

  let service = await startService(folder, PORTS);
  report(
    'start on an empty folder',
    '< 1.5 s',
    `${(service.startMs / 1000).toFixed(2)} s`,
    service.startMs < 1_500,
  );

  const spec = { serverless: { cloud: 'aws', region: 'us-east-1' } };
  const index = await ask(agent, `${service.base}/indexes`, {
    name: 'bench',
    dimension: data.dimension,
    metric: 'cosine',
    spec,
  });
  const host = String(index.host);
  const bodies = upsertBodies(data);
  const seconds = await timed(() =>
    inParallel(CONNECTIONS, bodies, (body) => ask(agent, `${host}/vectors/upsert`, body)),
  );
  const rate = RECORDS / seconds;
  report(
    `upsert, batches of ${BATCH}, ${CONNECTIONS} connections`,
    '>= 5,000 records/s',
    `${rate.toFixed(0)} records/s`,
    rate >= 5_000,
  );
  await service.stop();

  const restarted = performance.now();
  service = await startService(folder, PORTS);
  await ask(agent, `${host}/query`, queryBody(data, 0));
  const firstMs = performance.now() - restarted;
  report('restart to the first answer', '< 2 s', `${(firstMs / 1000).toFixed(2)} s`, firstMs < 2_000);

  const plain = await queryTimes(agent, host, data, {});
  const recall = recallOf(plain.answers, exactTop(data, K));
  report(
    'exact query, k = 10, p50',
    '<= 15 ms',
    `${percentile(plain.times, 0.5).toFixed(1)} ms (p99 ${percentile(plain.times, 0.99).toFixed(1)})`,
    percentile(plain.times, 0.5) <= 15,
  );
  report('recall@10 against a naive evaluation', '1.0', recall.toFixed(4), recall === 1);
  const filtered = await queryTimes(agent, host, data, { filter: { group: 3 } });
  const filteredRecall = recallOf(
    filtered.answers,
    exactTop(data, K, (position) => position % GROUPS === 3),
  );
  report(
    'query with a 10 % filter, p50',
    'not above unfiltered',
    `${percentile(filtered.times, 0.5).toFixed(1)} ms, recall ${filteredRecall.toFixed(4)}`,
    percentile(filtered.times, 0.5) <= percentile(plain.times, 0.5) && filteredRecall === 1,
  );

  const health = await healthUnderLoad(service, host, data, bodies);
  report(
    '/health while upserts and queries run, p99',
    '<= 5 ms',
    `${percentile(health, 0.99).toFixed(1)} ms (p50 ${percentile(health, 0.5).toFixed(2)}, ${health.length} samples)`,
    percentile(health, 0.99) <= 5,
  );
  await service.stop();
  agent.destroy();
  console.error(
    `bytes on disk per raw vector byte: ${(diskBytes() / (RECORDS * data.dimension * 4)).toFixed(3)}`,
  );
  return figures;
}

function upsertBodies(data: DataSet): Buffer[] {
  const bodies: Buffer[] = [];
  for (let first = 0; first < RECORDS; first += BATCH) {
    const vectors = data.base.slice(first, first + BATCH).map((row, i) => ({
      id: `record-${first + i}`,
      values: Array.from(row, (value) => Number(value.toPrecision(9))),
      metadata: { group: (first + i) % GROUPS },
    }));
    bodies.push(Buffer.from(JSON.stringify({ vectors })));
  }
  return bodies;
}

function queryBody(data: DataSet, at: number, extra: object = {}): Buffer {
  const vector = Array.from(data.queries[at % data.queries.length] ?? []);
  return Buffer.from(JSON.stringify({ vector, topK: K, ...extra }));
}

async function queryTimes(
  agent: Agent,
  host: string,
  data: DataSet,
  extra: object,
): Promise<{ times: number[]; answers: number[][] }> {
  const times: number[] = [];
  const answers: number[][] = [];
  for (let at = 0; at < QUERIES; at++) {
    const body = queryBody(data, at, extra);
    const started = performance.now();
    const answer = await ask(agent, `${host}/query`, body);
    times.push(performance.now() - started);
    answers.push(
      (answer.matches as { id: string }[]).map((match) => Number(match.id.slice('record-'.length))),
    );
  }
  return { times, answers };
}

function recallOf(answers: readonly (readonly number[])[], truth: readonly (readonly number[])[]): number {
  let found = 0;
  for (const [i, wanted] of truth.entries())
    found += wanted.filter((position) => answers[i]?.includes(position)).length;
  return found / truth.reduce((sum, wanted) => sum + wanted.length, 0);
}

async function healthUnderLoad(
  service: Service,
  host: string,
  data: DataSet,
  bodies: readonly Buffer[],
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const end = performance.now() + LOAD_MS;
  const load = async (send: (i: number) => Promise<unknown>) => {
    for (let i = 0; performance.now() < end; i++) await send(i);
  };
  const upserts = Array.from({ length: 2 }, (_, c) =>
    load((i) => ask(agent, `${host}/vectors/upsert`, bodies[(i * 2 + c) % bodies.length])),
  );
  const queries = Array.from({ length: 2 }, (_, c) =>
    load((i) => ask(agent, `${host}/query`, queryBody(data, i * 2 + c))),
  );
  const probe = new Worker(new URL('./health-probe.ts', import.meta.url), {
    workerData: { url: `${service.base}/health`, milliseconds: LOAD_MS },
  });
  const [times] = (await once(probe, 'message')) as [number[]];
  await Promise.all([...upserts, ...queries]);
  agent.destroy();
  return times;
}

async function inParallel<Item>(
  lanes: number,
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

function diskBytes(): number {
  const [id = ''] = readdirSync(join(folder, 'indexes'));
  const files = ['records.mdb', 'rows.f32'].map((name) => statSync(join(folder, 'indexes', id, name)));
  return files.reduce((sum, stats) => sum + stats.blocks * 512, 0);
}
