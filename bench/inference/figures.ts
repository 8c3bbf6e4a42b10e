// Text records over HTTP with the built-in models: upserts, searches, reranked searches. Run: npm run bench:inference
import '../../src/boot/runtime-flags.ts';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Figure, machine, percentile, table } from '../support/figures.ts';
import { processorSeconds } from '../support/process-load.ts';
import { ask, type Service, startService } from '../support/service.ts';
import { explained } from './explained.ts';
import { settled } from './settled.ts';
import { textMaker } from './texts.ts';

const RECORDS = Number(process.env.BENCH_RECORDS ?? 100_000);
const QUERIES = Number(process.env.BENCH_QUERIES ?? 300);
/** Asked before the others, so that code is compiled. */
const WARM_UP_QUERIES = 50;
const BATCH = 96;
const CONNECTIONS = 4;
const PASSAGE_WORDS = 100;
const QUERY_WORDS = 6;
const K = 10;
const RERANKED = 100;
const LOAD_MS = 10_000;
const PORTS = { base: 15_680 };
const NAMESPACE = 'records/namespaces/bench';

const RATE_GOAL = 1_500;
const SEARCH_MS_GOAL = 5;
const HEALTH_MS_GOAL = 5;
const MODELS = { dense: 'llama-text-embed-v2', sparse: 'pinecone-sparse-english-v0' };

const folder = mkdtempSync(join(tmpdir(), 'pinyon-bench-'));
try {
  const [load = 0] = loadavg();
  console.log(`${machine()}, load ${load.toFixed(1)} before; ${RECORDS} records of ${PASSAGE_WORDS} words\n`);
  console.log(table(await measure()));
} finally {
  rmSync(folder, { recursive: true });
}

async function measure(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const service = await startService(folder, PORTS);
  try {
    for (const [kind, model] of Object.entries(MODELS)) {
      const host = await integrated(agent, service, kind, model);
      figures.push(await upserts(agent, host, kind));
      await settled(agent, service, { records: RECORDS, firstSearch: () => searched(agent, host) });
      figures.push(...(await searches(agent, { host, pid: service.pid }, kind)));
      console.log(`${kind}: ${await explained(agent, `${host}/${NAMESPACE}/search`, searchMaker(K))}\n`);
      if (kind === 'dense') figures.push(await health(agent, service, host));
    }
    return figures;
  } finally {
    await service.stop();
    agent.destroy();
  }
}

async function integrated(agent: Agent, { base }: Service, name: string, model: string): Promise<string> {
  const embed = { model, field_map: { text: 'text' } };
  const place = { cloud: 'aws', region: 'us-east-1' };
  const index = await ask(agent, `${base}/indexes/create-for-model`, { name, ...place, embed });
  return String(index.host);
}

async function upserts(agent: Agent, host: string, kind: string): Promise<Figure> {
  const text = textMaker(1);
  const bodies: Buffer[] = [];
  for (let first = 0; first < RECORDS; first += BATCH) {
    bodies.push(lines(Math.min(BATCH, RECORDS - first), first, text));
  }
  const started = performance.now();
  let next = 0;
  const lane = async () => {
    for (let body = bodies[next++]; body !== undefined; body = bodies[next++]) {
      await ask(agent, `${host}/${NAMESPACE}/upsert`, body);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  const rate = RECORDS / ((performance.now() - started) / 1_000);
  return {
    what: `${kind}: upsert, ${BATCH} a request, ${CONNECTIONS} connections`,
    goal: `>= ${RATE_GOAL} records/s`,
    measured: `${rate.toFixed(0)} records/s`,
    met: rate >= RATE_GOAL,
  };
}

function lines(count: number, first: number, text: (words: number) => string): Buffer {
  const records = Array.from({ length: count }, (_, i) =>
    JSON.stringify({ _id: `record-${first + i}`, text: text(PASSAGE_WORDS), group: (first + i) % 10 }),
  );
  return Buffer.from(records.join('\n'));
}

async function searched(agent: Agent, host: string): Promise<void> {
  await ask(agent, `${host}/${NAMESPACE}/search`, searchMaker(K)());
}

/** Makes searches by texts that differ, the same in each run. */
function searchMaker(topK: number, more: object = {}): () => object {
  const text = textMaker(2);
  return () => ({ query: { inputs: { text: text(QUERY_WORDS) }, top_k: topK }, ...more });
}

/** The service's process, and where it serves an index. */
interface Served {
  readonly host: string;
  readonly pid: number;
}

async function searches(agent: Agent, served: Served, kind: string): Promise<readonly Figure[]> {
  const rerank = {
    model: 'bge-reranker-v2-m3',
    rank_fields: ['text'],
    top_n: K,
    parameters: { truncate: 'END' },
  };
  const plain = await times(agent, served, searchMaker(K));
  const reranked = await times(agent, served, searchMaker(RERANKED, { rerank }));
  return [
    searchFigure(`${kind}: search by text, k = ${K}`, plain, SEARCH_MS_GOAL),
    searchFigure(`${kind}: the same, ${RERANKED} hits reranked`, reranked, Number.POSITIVE_INFINITY),
  ];
}

interface Times {
  readonly wallMs: readonly number[];
  /** Of all threads of the service, a search: what other work on the machine disturbs little. */
  readonly processorMs: number;
}

async function times(agent: Agent, { host, pid }: Served, body: () => object): Promise<Times> {
  const url = `${host}/${NAMESPACE}/search`;
  for (let i = 0; i < WARM_UP_QUERIES; i++) await ask(agent, url, body());
  const wallMs: number[] = [];
  const before = processorSeconds(pid);
  for (let i = 0; i < QUERIES; i++) {
    const bytes = Buffer.from(JSON.stringify(body()));
    const started = performance.now();
    await ask(agent, url, bytes);
    wallMs.push(performance.now() - started);
  }
  return { wallMs, processorMs: ((processorSeconds(pid) - before) * 1_000) / QUERIES };
}

function searchFigure(what: string, { wallMs, processorMs }: Times, goalMs: number): Figure {
  const p50 = percentile(wallMs, 0.5);
  return {
    what,
    goal: Number.isFinite(goalMs) ? `p50 <= ${goalMs} ms` : null,
    measured: `p50 ${p50.toFixed(1)} ms, p99 ${percentile(wallMs, 0.99).toFixed(1)}, processor ${processorMs.toFixed(1)}`,
    met: p50 <= goalMs,
  };
}

/** While one client upserts and one searches, as fast as they are answered. */
async function health(agent: Agent, service: Service, host: string): Promise<Figure> {
  const text = textMaker(3);
  const end = performance.now() + LOAD_MS;
  const upserting = async () => {
    for (let first = 0; performance.now() < end; first += BATCH) {
      await ask(agent, `${host}/${NAMESPACE}/upsert`, lines(BATCH, first % RECORDS, text));
    }
  };
  const searching = async () => {
    while (performance.now() < end) {
      await ask(agent, `${host}/${NAMESPACE}/search`, {
        query: { inputs: { text: text(QUERY_WORDS) }, top_k: K },
      });
    }
  };
  const probe = new Worker(new URL('../service/health-probe.ts', import.meta.url), {
    workerData: { url: `${service.base}/health`, milliseconds: LOAD_MS },
  });
  const load = [upserting(), searching()];
  const [taken] = (await once(probe, 'message')) as [number[]];
  await Promise.all(load);
  const p99 = percentile(taken, 0.99);
  return {
    what: '/health while texts are upserted and searched',
    goal: `p99 <= ${HEALTH_MS_GOAL} ms`,
    measured: `p99 ${p99.toFixed(1)} ms (p50 ${percentile(taken, 0.5).toFixed(2)})`,
    met: p99 <= HEALTH_MS_GOAL,
  };
}
