// What a caller with few, short requests notices of others who send many or long ones. Run: npm run bench:fairness
import '../../src/boot/runtime-flags.ts';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { machine, percentile } from '../support/figures.ts';
import { startService } from '../support/service.ts';
import { ASSISTANT, FLAT, HOG_KINDS, type Hog, IMPORT_FOLDERS } from './hogs.ts';
import { createIndex, createKeys, fill, recordOf, send, vectorOf } from './requests.ts';

const IS_SHORT = process.env.BENCH_FAIRNESS === 'short';
const CROWDS = IS_SHORT ? [4] : [1, 16, 100];
const SECONDS = IS_SHORT ? 3 : 8;
/** Rows that would begin later are left out, and named. */
const RUN_MS_MAX = 8 * 60_000;
const began = performance.now();
const RECORDS = IS_SHORT ? 5_000 : 50_000;
const DIMENSION = 256;
const PORTS = { base: 15_280 };
const INTERVAL_MS = 100;
/** The goal: this many times the idle figure, and so much more. */
const FACTOR = 5;
const ALLOWANCE_MS = 20;
/** Time for the hogs to fill the queues. */
const LEAD_MS = 500;

interface Noticed {
  readonly queries: readonly number[];
  readonly upserts: readonly number[];
  /** Of GET /health. */
  readonly health: readonly number[];
  readonly errors: number;
}

const folder = mkdtempSync(join(tmpdir(), 'pinyon-fairness-'));
const imports = join(folder, 'imports');
const owner = { clientId: 'benchmarkOwner', clientSecret: 'b'.repeat(40) };
Object.assign(process.env, {
  PINYON_ADMIN_CLIENT_ID: owner.clientId,
  PINYON_ADMIN_CLIENT_SECRET: owner.clientSecret,
  PINYON_IMPORT_FROM: `file://${imports}`,
});
writeImports();
const service = await startService(join(folder, 'data'), PORTS);
try {
  const victim = await createIndex(service.base, 'victim', DIMENSION);
  const crowded = await createIndex(service.base, 'crowded', DIMENSION);
  await fill(victim, { records: 1_000, dimension: DIMENSION });
  await fill(crowded, { records: RECORDS, dimension: DIMENSION });
  await fill(crowded, { ...FLAT, dimension: DIMENSION });
  const keys = await createKeys(service.base, owner, Math.max(...CROWDS));
  await send(new Agent(), `${service.base}/assistant/assistants`, { name: ASSISTANT });
  const notice = () => noticedBy(victim);
  await notice();
  const idle = await notice();
  console.log(`${machine()}; ${RECORDS} x ${DIMENSION} beside 1,000; p99 in ms\n`);
  console.log(
    '| hogs | query idle | query | upsert idle | upsert | health idle | health | errors | met |\n' +
      '|---|---|---|---|---|---|---|---|---|',
  );
  for (const kind of HOG_KINDS) {
    for (const crowd of CROWDS) {
      const name = `${crowd} x ${kind.name}`;
      if (performance.now() - began > RUN_MS_MAX) {
        console.log(`| ${name} | left out: the time is up |`);
        continue;
      }
      const end = new AbortController();
      const hogs = keys.slice(0, crowd).map((key, i) => {
        const hog: Hog = { host: crowded, base: service.base, dimension: DIMENSION, records: RECORDS, key };
        return kind.run(hog, i, end.signal).catch(() => undefined);
      });
      await pause(LEAD_MS);
      const beside = await notice();
      end.abort();
      await Promise.all(hogs);
      console.log(row(name, idle, beside));
    }
  }
} finally {
  await service.stop();
  rmSync(folder, { recursive: true });
}

/** Folders of JSON lines, each with a namespace of its own. */
function writeImports(): void {
  const lines = Array.from({ length: RECORDS / 10 }, (_, i) => JSON.stringify(recordOf(i, DIMENSION)));
  for (let i = 0; i < IMPORT_FOLDERS; i++) {
    const namespace = join(imports, `${i}`, `import-${i}`);
    mkdirSync(namespace, { recursive: true });
    writeFileSync(join(namespace, 'records.jsonl'), lines.join('\n'));
  }
}

/** Ten queries, ten upserts and ten looks at the health a second, sent whether or not the ones before are answered. */
async function noticedBy(host: string): Promise<Noticed> {
  const agent = new Agent({ keepAlive: true });
  const queries: number[] = [];
  const upserts: number[] = [];
  const health: number[] = [];
  const under: Promise<void>[] = [];
  let errors = 0;
  const timed = async (into: number[], path: string, body?: unknown) => {
    const began = performance.now();
    const options = body === undefined ? { method: 'GET' } : {};
    const status = await send(agent, `${host}${path}`, body, options).catch(() => 0);
    if (status === 200) into.push(performance.now() - began);
    else errors += 1;
  };
  for (let i = 0; i < (SECONDS * 1_000) / INTERVAL_MS; i++) {
    under.push(timed(queries, '/query', { vector: vectorOf(i, DIMENSION), topK: 10 }));
    under.push(
      timed(upserts, '/vectors/upsert', { vectors: [{ id: `${i}`, values: vectorOf(i, DIMENSION) }] }),
    );
    under.push(timed(health, '/health'));
    await pause(INTERVAL_MS);
  }
  await Promise.all(under);
  agent.destroy();
  return { queries, upserts, health, errors };
}

function row(name: string, idle: Noticed, beside: Noticed): string {
  const of = (values: readonly number[]) => percentile(values, 0.99);
  const met = [
    [idle.queries, beside.queries],
    [idle.upserts, beside.upserts],
  ].every(([alone = [], among = []]) => of(among) <= FACTOR * of(alone) + ALLOWANCE_MS);
  const { queries, upserts, health } = beside;
  const figures = [idle.queries, queries, idle.upserts, upserts, idle.health, health].map((each) =>
    of(each).toFixed(1),
  );
  return `| ${[name, ...figures, beside.errors, met && beside.errors === 0 ? 'yes' : '**no**'].join(' | ')} |`;
}
