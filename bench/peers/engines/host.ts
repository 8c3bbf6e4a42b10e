// The process that hosts one engine: builds, opens and queries it on request, all searches on one core.
import '../../../src/boot/runtime-flags.ts';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { processMemory } from '../../support/process-memory.ts';
import { RowFile } from '../data/row-file.ts';
import type { NodeRun, OpenEngine, Query, QueryOptions } from './engine.ts';
import type { BuildCost, HostOptions, Opened, Reply, Request, Run, RunResult } from './host-protocol.ts';
import { engineNamed } from './index.ts';

/** Asked before each measurement. */
const WARM_UP_QUERIES = 50;
/** How long it is asked once it is open. */
const WARM_UP_SECONDS = 1;
/** For slow engines: of the longest time that is measured. */
const WARM_UP_SHARE_MAX = 0.25;

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

function runOf(name: string): NodeRun {
  const { runs } = engineNamed(name);
  if (typeof runs === 'string') throw new Error(`${name} does not run in Node`);
  return runs;
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
  await runOf(engine).build(folder, new RowFile(rowsPath, dimension), { metric, build });
  const { user, system } = process.cpuUsage(before);
  return { seconds: (performance.now() - started) / 1000, cpuSeconds: (user + system) / 1e6 };
}

async function open({ engine, folder, metric, build, rowsPath, dimension }: HostOptions): Promise<Opened> {
  const { rows } = new RowFile(rowsPath, dimension);
  const before = settledMemory();
  const started = performance.now();
  opened = await runOf(engine).open(folder, { dimension, rows, metric, build });
  const seconds = (performance.now() - started) / 1000;
  const search = engineNamed(engine).searches[0] ?? {};
  for (const query of queries.slice(0, WARM_UP_QUERIES))
    await opened.query(query, { k: 10, search, passing: null });
  const after = settledMemory();
  const memory = { resident: after.resident - before.resident, held: after.held - before.held };
  // Building and loading may use every core; searching gets one.
  stayOnOneCore();
  await warmUp(opened, { k: 10, search, passing: null });
  return { seconds, memory, ownBytes: opened.heldBytes?.() ?? null };
}

/** Code is compiled, and pages are mapped, before anything is measured. */
async function warmUp(engine: OpenEngine, asked: QueryOptions): Promise<void> {
  const end = performance.now() + 1000 * WARM_UP_SECONDS;
  for (let at = 0; performance.now() < end; at++) {
    const query = queries[at % queries.length];
    if (query !== undefined) await engine.query(query, asked);
  }
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

async function run({ first, secondsMin, secondsMax, ...asked }: Run): Promise<RunResult> {
  if (opened === undefined) throw new Error('nothing is open');
  const setting = JSON.stringify(asked.search);
  if (setting !== chosen) opened.choose?.(asked.search);
  chosen = setting;
  const inTurn = [...queries.slice(first), ...queries.slice(0, first)];
  const warmUpEnd = performance.now() + 1000 * secondsMax * WARM_UP_SHARE_MAX;
  // The last ones, which are measured last, if at all.
  for (const query of inTurn.slice(-WARM_UP_QUERIES)) {
    await opened.query(query, asked);
    if (performance.now() > warmUpEnd) break;
  }
  const answers: (readonly number[])[] = [];
  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  const deadline = started + 1000 * secondsMax;
  let count = 0;
  for (let now = started; now < deadline; now = performance.now()) {
    // All queries once, and quick engines the same ones again: a tenth of a second would be a figure of chance.
    if (count >= inTurn.length && now - started >= 1000 * secondsMin) break;
    const query = inTurn[count % inTurn.length];
    if (query === undefined) break;
    const answer = await opened.query(query, asked);
    if (count < inTurn.length) answers.push(answer);
    count++;
  }
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { qps: count / seconds, cpuQps: (1e6 * count) / (user + system), answers };
}
