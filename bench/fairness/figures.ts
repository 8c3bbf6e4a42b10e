// What a caller with few, short requests notices of others who send many or long ones. Run: npm run bench:fairness, or
// with -- KIND CROWD for one row, KIND being a part of its name
import '../../src/boot/runtime-flags.ts';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { machine, percentile } from '../support/figures.ts';
import { startService } from '../support/service.ts';
import type { CrowdOrder } from './hog-process.ts';
import { ASSISTANT, FLAT, HOG_KINDS } from './hogs.ts';
import { writeImports } from './import-folders.ts';
import { createIndex, createKeys, fill, send, vectorOf } from './requests.ts';

const IS_SHORT = process.env.BENCH_FAIRNESS === 'short';
const [onlyKind = '', onlyCrowd] = process.argv.slice(2);
const CROWDS = onlyCrowd !== undefined ? [Number(onlyCrowd)] : IS_SHORT ? [4] : [1, 16, 100];
const KINDS = HOG_KINDS.filter(({ name }) => name.includes(onlyKind));
const SECONDS = IS_SHORT ? 3 : 8;
/** Rows that would begin later are left out, and named. */
const RUN_MS_MAX = 9 * 60_000;
const began = performance.now();
const RECORDS = IS_SHORT ? 5_000 : 50_000;
const DIMENSION = 256;
const PORTS = { base: 15_280 };
const INTERVAL_MS = 100;
/** The goal: this many times the idle figure, and so much more. */
const FACTOR = 5;
const ALLOWANCE_MS = 20;
/** Time for the hogs to fill the queues, and for what they left behind to be worked off. */
const LEAD_MS = 1_000;
const REST_MS = 1_000;
const NAMESPACE = 'victim';

const TIMED = ['query', 'upsert', 'upsert, their index', 'health'] as const;
type Times = Readonly<Record<(typeof TIMED)[number], number[]>>;
interface Noticed {
  readonly times: Times;
  /** How often each request got another answer than 200, as `query: 429`, or why none. */
  readonly errors: ReadonlyMap<string, number>;
}

const folder = mkdtempSync(join(tmpdir(), 'pinyon-fairness-'));
const imports = join(folder, 'imports');
const owner = { clientId: 'benchmarkOwner', clientSecret: 'b'.repeat(40) };
Object.assign(process.env, {
  PINYON_ADMIN_CLIENT_ID: owner.clientId,
  PINYON_ADMIN_CLIENT_SECRET: owner.clientSecret,
  PINYON_IMPORT_FROM: `file://${imports}`,
});
writeImports(imports, {
  folders: Math.max(...CROWDS),
  records: Math.min(RECORDS / 10, 5_000),
  dimension: DIMENSION,
});
const service = await startService(join(folder, 'data'), PORTS);
const hogs = fork(new URL('./hog-process.ts', import.meta.url));
try {
  const own = await createIndex(service.base, 'victim', DIMENSION);
  const crowded = await createIndex(service.base, 'crowded', DIMENSION);
  await fill(own, { records: 1_000, dimension: DIMENSION });
  await fill(crowded, { records: RECORDS, dimension: DIMENSION });
  await fill(crowded, { ...FLAT, dimension: DIMENSION });
  await fill(crowded, { namespace: NAMESPACE, records: 1_000, dimension: DIMENSION });
  const keys = await createKeys(service.base, owner, Math.max(...CROWDS));
  await send(new Agent(), `${service.base}/assistant/assistants`, { name: ASSISTANT });
  const notice = () => noticedBy(own, crowded);
  await notice();
  const idle = await notice();
  console.log(`${machine()}; ${RECORDS} x ${DIMENSION} beside 1,000; p99 in ms\n`);
  const columns = TIMED.flatMap((what) => [`${what} idle`, what]);
  console.log(`| hogs | ${columns.join(' | ')} | errors | met |\n|${'---|'.repeat(columns.length + 3)}`);
  for (const { name } of KINDS) {
    for (const crowd of CROWDS) {
      if (performance.now() - began > RUN_MS_MAX) {
        console.log(`| ${crowd} x ${name} | left out: the time is up |`);
        continue;
      }
      const hog = { host: crowded, base: service.base, dimension: DIMENSION, records: RECORDS };
      hogs.send({ kind: name, hog, keys: keys.slice(0, crowd) } satisfies CrowdOrder);
      await pause(LEAD_MS);
      const beside = await notice();
      const ended = once(hogs, 'message');
      hogs.send('stop');
      await ended;
      await pause(REST_MS);
      console.log(row(`${crowd} x ${name}`, idle, beside));
    }
  }
} finally {
  hogs.disconnect();
  await service.stop();
  rmSync(folder, { recursive: true });
}

/**
 * Ten queries, ten upserts to an index of the victim's own, ten to a namespace on the hogs' index, and ten looks at the
 * health each second, sent whether or not the ones before are answered.
 */
async function noticedBy(own: string, crowded: string): Promise<Noticed> {
  const agent = new Agent({ keepAlive: true });
  const times: Times = { query: [], upsert: [], 'upsert, their index': [], health: [] };
  const under: Promise<void>[] = [];
  const errors = new Map<string, number>();
  const timed = async (what: keyof Times, url: string, body?: unknown) => {
    const began = performance.now();
    const options = body === undefined ? { method: 'GET' } : {};
    const status = await send(agent, url, body, options).catch((error: Error) => error.message);
    if (status === 200) return void times[what].push(performance.now() - began);
    const told = `${what}: ${status}`;
    errors.set(told, (errors.get(told) ?? 0) + 1);
  };
  for (let i = 0; i < (SECONDS * 1_000) / INTERVAL_MS; i++) {
    const vectors = [{ id: `${i}`, values: vectorOf(i, DIMENSION) }];
    under.push(
      timed('query', `${own}/query`, { vector: vectorOf(i, DIMENSION), topK: 10 }),
      timed('upsert', `${own}/vectors/upsert`, { vectors }),
      timed('upsert, their index', `${crowded}/vectors/upsert`, { vectors, namespace: NAMESPACE }),
      timed('health', `${own}/health`),
    );
    await pause(INTERVAL_MS);
  }
  await Promise.all(under);
  agent.destroy();
  return { times, errors };
}

function row(name: string, idle: Noticed, beside: Noticed): string {
  const p99 = ({ times }: Noticed, what: (typeof TIMED)[number]) => percentile(times[what], 0.99);
  const met = TIMED.every((what) => p99(beside, what) <= FACTOR * p99(idle, what) + ALLOWANCE_MS);
  const figures = TIMED.flatMap((what) => [p99(idle, what), p99(beside, what)]).map((ms) => ms.toFixed(1));
  const errors = [...beside.errors].map(([what, count]) => `${count} x ${what}`).join('; ') || '0';
  return `| ${[name, ...figures, errors, met && errors === '0' ? 'yes' : '**no**'].join(' | ')} |`;
}
