// What the recovery log costs, and how long a recovery takes: `npm run bench:recovery`. Two servers get the same upserts by
// turns, one with PINYON_RECOVERY. Then the data of that one is lost, and recovered into another folder.
import '../../src/boot/runtime-flags.ts';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { machine, percentile } from '../support/figures.ts';
import { processorSeconds, untilQuiet } from '../support/process-load.ts';
import { randomVectors } from '../support/random-vectors.ts';
import { ask, type Service, startService } from '../support/service.ts';

const PORTS = [15_380, 15_420] as const;
const DIMENSION = 384;
const RECORDS = Number(process.env.BENCH_RECORDS ?? 100_000);
const BATCH = 100;
const BATCHES_A_TURN = 25;
/** Below the size that gets a graph, whose making would be measured. */
const NAMESPACE_RECORDS = 5_000;
const QUIET_SECONDS_MAX = 300;
const SAMPLE_MS = 500;
const METRICS_KEY = 'benchmark-metrics-key-0123456789abcdef';
const SPEC = { serverless: { cloud: 'aws', region: 'us-east-1' } };
const MAIN = fileURLToPath(new URL('../../bin/pinyon.mjs', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'pinyon-bench-recovery-'));
const blobs = join(folder, 'blobs');
const SHIPPING = { PINYON_RECOVERY: 'true', PINYON_BLOBS: blobs };
const running: Service[] = [];
try {
  await run();
} finally {
  await Promise.all(running.map((service) => service.stop().catch(() => undefined)));
  rmSync(folder, { recursive: true, force: true });
}

async function run(): Promise<void> {
  const shipping = await start('shipping', PORTS[0], SHIPPING);
  const plain = await start('plain', PORTS[1], {});
  const hosts = [await indexOf(shipping), await indexOf(plain)] as const;
  const lags: number[] = [];
  // Both are asked, since answering costs processor time.
  const sampling = [shipping, plain].map((service) => sampleLag(service, lags));
  const before = [processorSeconds(shipping.pid), processorSeconds(plain.pid)] as const;
  await writeByTurns(hosts);
  for (const { pid } of [shipping, plain]) await untilQuiet(pid, QUIET_SECONDS_MAX);
  // The last look.
  await pause(6_000);
  for (const { stop } of sampling) stop();
  const used = [shipping, plain].map(({ pid }, i) => processorSeconds(pid) - (before[i] ?? 0));
  const written = RECORDS * DIMENSION * Float32Array.BYTES_PER_ELEMENT;
  const [shipped, copied] = [bytesIn('log'), bytesIn('bases')];
  process.kill(shipping.pid, 'SIGKILL');
  running.splice(0, 1);
  await pause(500);
  const recovery = await recover(join(folder, 'recovered'));
  const [on = 0, off = 0] = used;
  print(`${machine()}; ${RECORDS} records of ${DIMENSION} dimensions in batches of ${BATCH}\n`);
  print('| | |');
  print('|---|---|');
  print(
    `| processor time a record, without and with | ${micro(off)} and ${micro(on)}: ${(off / on).toFixed(2)} x |`,
  );
  print(
    `| bytes shipped for a byte of vectors | ${(shipped / written).toFixed(2)}, and copies ${(copied / written).toFixed(2)} |`,
  );
  print(
    `| lag, p50 and p99 | ${percentile(lags, 0.5).toFixed(1)} s and ${percentile(lags, 0.99).toFixed(1)} s |`,
  );
  print(`| recovery | ${recovery.seconds.toFixed(1)} s, ${recovery.processor.toFixed(1)} s of a processor |`);
}

async function start(name: string, base: number, env: Readonly<Record<string, string>>): Promise<Service> {
  for (const key of Object.keys(SHIPPING)) delete process.env[key];
  Object.assign(process.env, env, { PINYON_METRICS_KEY: METRICS_KEY });
  const service = await startService(join(folder, name), { base });
  running.push(service);
  return service;
}

async function indexOf({ base }: Service): Promise<string> {
  const made = await ask(new Agent(), `${base}/indexes`, {
    ...{ name: 'records', dimension: DIMENSION, metric: 'cosine', spec: SPEC },
  });
  return String(made.host);
}

async function writeByTurns(hosts: readonly string[]): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const batches = RECORDS / BATCH;
  for (let first = 0; first < batches; first += BATCHES_A_TURN) {
    const bodies = Array.from({ length: Math.min(BATCHES_A_TURN, batches - first) }, (_, i) => {
      const batch = first + i;
      const values = randomVectors(BATCH, DIMENSION, batch + 1);
      const vectors = values.map((each, at) => ({ id: `${batch}-${at}`, values: each, metadata: { batch } }));
      return { namespace: `n${Math.floor((batch * BATCH) / NAMESPACE_RECORDS)}`, vectors };
    });
    for (const host of hosts) for (const body of bodies) await ask(agent, `${host}/vectors/upsert`, body);
  }
}

function sampleLag({ base }: Service, lags: number[]): { readonly stop: () => void } {
  const timer = setInterval(async () => {
    const answer = await fetch(`${base}/metrics`, { headers: { authorization: `Bearer ${METRICS_KEY}` } });
    const lag = /^pinyon_recovery_lag_seconds (\S+)$/m.exec(await answer.text())?.[1];
    if (lag !== undefined) lags.push(Number(lag));
  }, SAMPLE_MS);
  return { stop: () => clearInterval(timer) };
}

async function recover(dataDir: string): Promise<{ readonly seconds: number; readonly processor: number }> {
  const started = performance.now();
  const child = spawn(process.execPath, [MAIN, 'recover'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...SHIPPING, PINYON_DATA_DIR: dataDir },
  });
  let processor = 0;
  const timer = setInterval(() => {
    try {
      processor = processorSeconds(child.pid ?? 0);
    } catch {
      // It has just ended.
    }
  }, 20);
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  clearInterval(timer);
  if (code !== 0) throw new Error(`the recovery ended with ${code}`);
  return { seconds: (performance.now() - started) / 1_000, processor };
}

/** Of the log, or of copies. */
function bytesIn(part: 'log' | 'bases'): number {
  return readdirSync(join(blobs, 'recovery'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.parentPath.includes(`/${part}`))
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

function micro(seconds: number): string {
  return `${((1e6 * seconds) / RECORDS).toFixed(0)} µs`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
