// How late a follower of an index learns of changes: `npm run bench:feed`. A writer upserts records at a steady rate, and a
// follower reads the feed with waits; the lag of a write is from its answer to the page that has it.
import '../../src/boot/runtime-flags.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { machine, percentile } from '../support/figures.ts';
import { randomVectors } from '../support/random-vectors.ts';
import { ask, startService } from '../support/service.ts';

const PORT = 15_280;
const DIMENSION = 384;
const BATCH = 100;
const CHANGES_A_SECOND = Number(process.env.BENCH_CHANGES_A_SECOND ?? 5_000);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 30);
const SPEC = { serverless: { cloud: 'aws', region: 'us-east-1' } };
const GOAL_MS = 50;

interface Page {
  readonly changes: readonly { readonly ids: readonly string[] }[];
  readonly cursor: string;
}

/** When each batch was answered and read, by its number; milliseconds. */
interface Times {
  readonly answered: Map<number, number>;
  readonly read: Map<number, number>;
}

const folder = mkdtempSync(join(tmpdir(), 'pinyon-bench-feed-'));
const service = await startService(folder, { base: PORT });
try {
  await run();
} finally {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function run(): Promise<void> {
  const made = await ask(new Agent(), `${service.base}/indexes`, {
    ...{ name: 'followed', dimension: DIMENSION, metric: 'cosine', spec: SPEC },
  });
  const times: Times = { answered: new Map(), read: new Map() };
  const batches = Math.round((CHANGES_A_SECOND * SECONDS) / BATCH);
  const following = follow(times, batches);
  const tookMs = await write(String(made.host), times, batches);
  await following;
  const lags = Array.from({ length: batches }, (_, batch) =>
    Math.max(0, (times.read.get(batch) ?? Number.NaN) - (times.answered.get(batch) ?? Number.NaN)),
  );
  const rate = (1_000 * batches * BATCH) / tookMs;
  print(`${machine()}; records of ${DIMENSION} dimensions in batches of ${BATCH}\n`);
  print('| changes a second | lag, p50 | p99 | goal | met |');
  print('|---|---|---|---|---|');
  const [p50, p99] = [percentile(lags, 0.5), percentile(lags, 0.99)];
  print(
    `| ${rate.toFixed(0)} | ${p50.toFixed(0)} ms | ${p99.toFixed(0)} ms | p99 <= ${GOAL_MS} ms | ${p99 <= GOAL_MS ? 'yes' : '**no**'} |`,
  );
}

/** Writes batches at their times, several at once where the answers are late. @returns how long it took */
async function write(host: string, { answered }: Times, batches: number): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  const vectors = randomVectors(BATCH, DIMENSION, 3);
  const started = performance.now();
  const writes: Promise<void>[] = [];
  for (let batch = 0; batch < batches; batch++) {
    const due = started + (1_000 * batch * BATCH) / CHANGES_A_SECOND;
    await pause(Math.max(0, due - performance.now()));
    const records = vectors.map((values, at) => ({ id: `${batch}-${at}`, values }));
    const written = ask(agent, `${host}/vectors/upsert`, { vectors: records });
    writes.push(written.then(() => void answered.set(batch, performance.now())));
  }
  await Promise.all(writes);
  return performance.now() - started;
}

async function follow({ read }: Times, batches: number): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const path = `${service.base}/indexes/followed/changes`;
  for (let cursor = '0'; read.size < batches; ) {
    const answer: unknown = await ask(agent, `${path}?after=${cursor}&limit=1000&wait_ms=10000`);
    const page = answer as Page;
    const now = performance.now();
    for (const id of page.changes.flatMap(({ ids }) => ids)) {
      const batch = Number(id.slice(0, id.indexOf('-')));
      if (!read.has(batch)) read.set(batch, now);
    }
    cursor = page.cursor;
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
