// The process that hosts one engine: builds, opens and queries it as told, all searches on one core.
import '../../../src/runtime-flags.ts';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { RowFile } from '../data/row-file.ts';
import { processMemory } from '../support/process-memory.ts';
import type { OpenEngine, Query } from './engine.ts';
import type { BuildCost, HostOptions, Opened, Reply, Request, Run, RunResult } from './host-protocol.ts';
import { engineNamed } from './index.ts';

/** Asked before anything is measured. */
const WARM_UP_QUERIES = 50;

let options: HostOptions | undefined;
let opened: OpenEngine | undefined;
let queries: readonly Query[] = [];
let chosen = '';

process.on('message', (message: HostOptions | Request) => {
  if ('engine' in message) {
    options = message;
    queries = message.queries.map((values) => ({ values, plain: Array.from(values) }));
    return;
  }
  if (options !== undefined) answer(perform(message, options));
});
process.on('disconnect', () => process.exit());

function answer(work: Promise<BuildCost | Opened | RunResult | null>): void {
  const send = (reply: Reply) => process.send?.(reply);
  work.then(
    (value) => send({ ok: true, value }),
    (error: unknown) => send({ ok: false, error: String(error instanceof Error ? error.stack : error) }),
  );
}

async function perform(request: Request, given: HostOptions): Promise<BuildCost | Opened | RunResult | null> {
  if (request.do === 'build') return build(given);
  if (request.do === 'open') return open(given);
  if (request.do === 'run') return run(request.run);
  await opened?.close();
  return null;
}

async function build({
  engine,
  folder,
  metric,
  build,
  rowsPath,
  dimension,
}: HostOptions): Promise<BuildCost> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const started = performance.now();
  const before = process.cpuUsage();
  await engineNamed(engine).build(folder, new RowFile(rowsPath, dimension), { metric, build });
  const { user, system } = process.cpuUsage(before);
  return { seconds: (performance.now() - started) / 1000, cpuSeconds: (user + system) / 1e6 };
}

async function open({ engine, folder, metric, build, rowsPath, dimension }: HostOptions): Promise<Opened> {
  const { rows } = new RowFile(rowsPath, dimension);
  const before = settledMemory();
  const started = performance.now();
  opened = await engineNamed(engine).open(folder, { dimension, rows, metric, build });
  const seconds = (performance.now() - started) / 1000;
  const search = engineNamed(engine).searches[0] ?? {};
  for (const query of queries.slice(0, WARM_UP_QUERIES))
    await opened.query(query, { k: 10, search, passing: null });
  const after = settledMemory();
  const memory = { resident: after.resident - before.resident, held: after.held - before.held };
  // Building and loading may use every core; searching gets one.
  stayOnOneCore();
  return { seconds, memory, ownBytes: opened.heldBytes?.() ?? null };
}

function settledMemory() {
  globalThis.gc?.();
  return processMemory(process.pid);
}

function stayOnOneCore(): void {
  const last = String(availableParallelism() - 1);
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', last, String(process.pid)], {
    stdio: 'ignore',
  });
}

async function run({ k, search, passing, secondsMin, secondsMax }: Run): Promise<RunResult> {
  if (opened === undefined) throw new Error('nothing is open');
  const setting = JSON.stringify(search);
  if (setting !== chosen) opened.choose?.(search);
  chosen = setting;
  const asked = { k, search, passing };
  const deadline = performance.now() + 1000 * secondsMax;
  for (const query of queries.slice(0, WARM_UP_QUERIES)) {
    await opened.query(query, asked);
    if (performance.now() > deadline - 500 * secondsMax) break;
  }
  const answers: (readonly number[])[] = [];
  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  let count = 0;
  for (let now = started; now < deadline; now = performance.now()) {
    // All queries once, and quick engines the same ones again: a tenth of a second would be a figure of chance.
    if (count >= queries.length && now - started >= 1000 * secondsMin) break;
    const query = queries[count % queries.length];
    if (query === undefined) break;
    const answer = await opened.query(query, asked);
    if (count < queries.length) answers.push(answer);
    count++;
  }
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { qps: count / seconds, cpuQps: (1e6 * count) / (user + system), answers };
}
