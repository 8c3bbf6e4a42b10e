// The console's table over 1,000,000 records: what each answer that it asks for takes, and what the browser keeps. Run:
// npm run bench:console; BENCH_RECORDS chooses another number, BENCH_KEEP a folder that keeps the loaded records for the
// next run; BENCH_NOW=1 does not wait for the graph, which only neighbors need. A part of a name chooses rows:
// npm run bench:console -- sort
import '../../src/boot/runtime-flags.ts';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { settled } from '../inference/settled.ts';
import { machine } from '../support/figures.ts';
import { ask, KEY, type Service, startService } from '../support/service.ts';
import { kindsOf, timesOf } from './answers.ts';
import { DIMENSION, writeRecords } from './many-records.ts';

const RECORDS = Number(process.env.BENCH_RECORDS ?? 1_000_000);
const TURNS = Number(process.env.BENCH_TURNS ?? 40);
const PAGES = Number(process.env.BENCH_PAGES ?? 500);
const INDEX = 'table';
const P95_MS_MAX = 200;
const PORTS = { base: 24_080 };
const LOOK_MS = 500;
const SETTLING_MS_MAX = 20 * 60_000;
const [only = ''] = process.argv.slice(2);

const keep = process.env.BENCH_KEEP;
const folder = keep ?? mkdtempSync(join(tmpdir(), 'pinyon-console-'));
const data = join(folder, 'data');
const isLoaded = existsSync(data);
const agent = new Agent({ keepAlive: true });
mkdirSync(folder, { recursive: true });
process.env.PINYON_IMPORT_FROM = `file://${folder}`;
const service = await startService(data, PORTS);
try {
  if (!isLoaded) await load(service);
  await firstSearch(service);
  if (process.env.BENCH_NOW === undefined) {
    const filled = { records: RECORDS, firstSearch: () => firstSearch(service) };
    await settled(agent, service, { ...filled, millisecondsMax: SETTLING_MS_MAX });
  }
  console.log(`${machine()}; ${RECORDS} records of ${DIMENSION} dimensions, ${TURNS} answers of each kind\n`);
  console.log(
    '| answer | p50 | p95 | most | processor time of the server | p95 <= 200 ms |\n|---|---|---|---|---|---|',
  );
  for (const kind of await kindsOf(service, INDEX, RECORDS)) {
    if (!kind.name.includes(only)) continue;
    // What the first of a kind makes for all others, such as compiled code.
    for (let turn = 0; turn < 2; turn++) await kind.ask(TURNS + turn);
    const { name, p50, p95, most, processor } = await timesOf(service, kind, TURNS);
    const shown = [p50, p95, most, processor].map((ms) => `${ms.toFixed(1)} ms`).join(' | ');
    console.log(`| ${name} | ${shown} | ${p95 <= P95_MS_MAX ? 'yes' : '**no**'} |`);
  }
  if (only === '' || only === 'memory') measureBrowser(service);
} finally {
  agent.destroy();
  await service.stop();
  if (keep === undefined) rmSync(folder, { recursive: true });
}

/** In a process of its own, since the browser's library is among the packages of the console. */
function measureBrowser({ base }: Service): void {
  const script = fileURLToPath(new URL('../../console/test/table-memory.ts', import.meta.url));
  spawnSync(process.execPath, [script, base, KEY, INDEX, String(PAGES)], { stdio: 'inherit' });
}

async function load({ base }: Service): Promise<void> {
  const spec = { serverless: { cloud: 'aws', region: 'us-east-1' } };
  const body = { name: INDEX, dimension: DIMENSION, metric: 'cosine', spec };
  const { host } = await ask(agent, `${base}/indexes`, body);
  await writeRecords(join(folder, 'files'), RECORDS);
  const { id } = await ask(agent, `${host}/bulk/imports`, { uri: `file://${folder}/files` });
  for (;;) {
    const { status, error } = await ask(agent, `${host}/bulk/imports/${id}`);
    if (status === 'Completed') break;
    if (status === 'Failed') throw new Error(`the import failed: ${error}`);
    await pause(LOOK_MS);
  }
  rmSync(join(folder, 'files'), { recursive: true });
}

async function firstSearch({ base }: Service): Promise<void> {
  await ask(agent, `${base}/data/${INDEX}/query`, { vector: Array(DIMENSION).fill(1), topK: 1 });
}
