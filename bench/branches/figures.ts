// Measures branches in one process: the time and disk space of a new one, and processor time of queries, fetches and
// writes beside the source, by turns, after some share of the records was changed in the branch.
import '../../src/boot/runtime-flags.ts';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleProfile, sampleQuery, where } from '../../src/engine/conformance/sample-data.ts';
import { openInProcess } from '../../src/engine/embedded/in-process-index.ts';
import { RandomRecords } from '../../src/engine/embedded/testing/random-records.ts';
import { median, microseconds } from '../history/processor-time.ts';

const RECORDS = Number(process.env.BENCH_RECORDS ?? 1_000_000);
const DIMENSION = Number(process.env.BENCH_DIMENSION ?? 16);
const BATCH = 1_000;
const QUERIES = 50;
const ROUNDS = 5;
const FETCHED = 10;
const BRANCHES = 5;
/** Shares of the records that the branch changes before a measurement. */
const SHARES = [0, 0.01, 0.1];
const WRITTEN = 2_000;
const PROFILE = sampleProfile({ dimension: DIMENSION });

const folder = mkdtempSync(join(tmpdir(), 'pinyon-bench-branches-'));
const random = new RandomRecords(PROFILE, 5);
const index = openInProcess(PROFILE, folder, {
  history: { bounds: { msMax: 86_400_000, diskPercentMax: 50 } },
});
const { reader, writer } = index;
const queries = Array.from({ length: QUERIES }, () => random.vectors().values);
const filter = where('part', { op: 'in', values: [1] });

async function upsert(namespace: string, first: number, count: number): Promise<void> {
  for (let at = first; at < first + count; at += BATCH)
    await writer.upsert(namespace, random.records(at, Math.min(BATCH, first + count - at)));
}

function diskBytes(): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, stats) => sum + (stats.isFile() ? stats.blocks * 512 : 0), 0);
}

/** Microseconds of processor time for a query, one with a filter, and a fetch. */
async function measure(namespace: string): Promise<readonly number[]> {
  const query = async (own: object) => {
    const took = await microseconds(async () => {
      for (const values of queries) await reader.query(sampleQuery({ namespace, values, topK: 10, ...own }));
    });
    return took / QUERIES;
  };
  const ids = Array.from({ length: FETCHED }, (_, i) => `r${Math.floor((i * RECORDS) / FETCHED)}`);
  const fetched = await microseconds(async () => {
    for (let i = 0; i < QUERIES; i++) await reader.fetch(namespace, ids);
  });
  return [await query({}), await query({ filter }), fetched / QUERIES];
}

async function compare(title: string, branch: string): Promise<void> {
  const rounds: number[][] = [];
  for (let round = 0; round < ROUNDS; round++)
    rounds.push([...(await measure('')), ...(await measure(branch))]);
  const [query, filtered, fetch, ownQuery, ownFiltered, ownFetch] = [0, 1, 2, 3, 4, 5].map((at) =>
    Math.round(median(rounds.map((each) => each[at] ?? 0))),
  );
  process.stdout.write(
    `${title.padEnd(22)} query ${query} -> ${ownQuery} us   with a filter ${filtered} -> ${ownFiltered} us   ` +
      `fetch of ${FETCHED} ${fetch} -> ${ownFetch} us\n`,
  );
}

await upsert('', 0, RECORDS);
const before = diskBytes();
const times: number[] = [];
for (let i = 0; i < BRANCHES; i++) {
  const began = performance.now();
  await writer.branches.create({ source: '', name: `b${i}`, asOf: null });
  times.push(performance.now() - began);
}
process.stdout.write(
  `${RECORDS} records of ${DIMENSION} dimensions: a branch takes ${median(times).toFixed(1)} ms, at most ` +
    `${Math.max(...times).toFixed(1)} ms, and ${Math.round((diskBytes() - before) / BRANCHES / 1_024)} KiB\n`,
);
for (let i = 1; i < BRANCHES; i++) await writer.deleteNamespace(`b${i}`);
await reader.query(sampleQuery({ values: queries[0] ?? null }));
await index.parts.loaded.settled();
let changed = 0;
for (const share of SHARES) {
  const count = Math.round(share * RECORDS) - changed;
  await upsert('b0', changed, count);
  changed += count;
  await index.parts.loaded.settled();
  await compare(`${share * 100} % changed`, 'b0');
}
const listed = await microseconds(async () => void (await reader.count('b0', filter)));
const plain = await microseconds(async () => void (await reader.count('', filter)));
process.stdout.write(
  `count by a filter: ${(plain / 1_000).toFixed(1)} -> ${(listed / 1_000).toFixed(1)} ms\n`,
);
// What overwriting records of the source costs without and with a branch that shows them.
const from = Math.round(RECORDS / 2);
const shown = await microseconds(() => upsert('', from, WRITTEN));
const again = await microseconds(() => upsert('', from, WRITTEN));
process.stdout.write(
  `overwriting a record of the source: ${(again / WRITTEN).toFixed(1)} us, the first time after branching ` +
    `${(shown / WRITTEN).toFixed(1)} us\n`,
);
await index.close();
rmSync(folder, { recursive: true, force: true });
