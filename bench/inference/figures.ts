// Text records over HTTP with the built-in models: upserts, searches, reranked searches. Run: npm run bench:inference
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Figure, machine, percentile, table } from '../support/figures.ts';
import { ask, call, type Service, startService } from '../support/service.ts';
import { textMaker } from './texts.ts';

const RECORDS = Number(process.env.BENCH_RECORDS ?? 100_000);
const QUERIES = Number(process.env.BENCH_QUERIES ?? 300);
const BATCH = 96;
const CONNECTIONS = 4;
const PASSAGE_WORDS = 100;
const QUERY_WORDS = 6;
const K = 10;
const RERANKED = 100;
const LOAD_MS = 10_000;
const SETTLING_MS_MAX = 600_000;
const SETTLING_PAUSE_MS = 500;
/** Of slots that may still wait to be folded into a graph. */
const TAIL_SHARE_MAX = 0.1;
const PORTS = { base: 15_180 };
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
      await settled(agent, service);
      figures.push(...(await searches(agent, host, kind)));
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

/** Waits until graphs are built and hold nearly all slots: searches right after a load are those of a busy machine. */
async function settled(agent: Agent, { base }: Service): Promise<void> {
  for (const end = performance.now() + SETTLING_MS_MAX; performance.now() < end; ) {
    const { text } = await call(agent, `${base}/metrics`);
    const sum = (name: string) =>
      [...text.matchAll(new RegExp(`^pinyon_${name}_slots(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].reduce(
        (total, [, slots]) => total + Number(slots),
        0,
      );
    if (sum('build') === 0 && sum('tail') <= TAIL_SHARE_MAX * sum('graph')) return;
    await new Promise((resolve) => setTimeout(resolve, SETTLING_PAUSE_MS));
  }
}

async function searches(agent: Agent, host: string, kind: string): Promise<readonly Figure[]> {
  const text = textMaker(2);
  const plain = await times(agent, host, () => ({
    query: { inputs: { text: text(QUERY_WORDS) }, top_k: K },
  }));
  const rerank = {
    model: 'bge-reranker-v2-m3',
    rank_fields: ['text'],
    top_n: K,
    parameters: { truncate: 'END' },
  };
  const reranked = await times(agent, host, () => ({
    query: { inputs: { text: text(QUERY_WORDS) }, top_k: RERANKED },
    rerank,
  }));
  return [
    searchFigure(`${kind}: search by text, k = ${K}`, plain, SEARCH_MS_GOAL),
    searchFigure(`${kind}: the same, ${RERANKED} hits reranked`, reranked, Number.POSITIVE_INFINITY),
  ];
}

async function times(agent: Agent, host: string, body: () => object): Promise<readonly number[]> {
  const url = `${host}/${NAMESPACE}/search`;
  await ask(agent, url, body());
  const taken: number[] = [];
  for (let i = 0; i < QUERIES; i++) {
    const bytes = Buffer.from(JSON.stringify(body()));
    const started = performance.now();
    await ask(agent, url, bytes);
    taken.push(performance.now() - started);
  }
  return taken;
}

function searchFigure(what: string, taken: readonly number[], goalMs: number): Figure {
  const p50 = percentile(taken, 0.5);
  return {
    what,
    goal: Number.isFinite(goalMs) ? `p50 <= ${goalMs} ms` : '-',
    measured: `p50 ${p50.toFixed(1)} ms, p99 ${percentile(taken, 0.99).toFixed(1)}`,
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
