// Measures reads as of a moment beside those of the present, by turns in one process: processor time of queries and
// fetches after some share of the records was overwritten, and after their namespace was dropped.
import '../../src/boot/runtime-flags.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleProfile, sampleQuery } from '../../src/engine/conformance/sample-data.ts';
import { openInProcess } from '../../src/engine/embedded/in-process-index.ts';
import { RandomRecords } from '../../src/engine/embedded/testing/random-records.ts';
import type { VectorReader } from '../../src/engine/port/reader-and-writer.ts';
import { median, microseconds } from './processor-time.ts';

const RECORDS = Number(process.env.BENCH_RECORDS ?? 20_000);
const DIMENSION = 768;
const BATCH = 100;
const QUERIES = 50;
const ROUNDS = 5;
const FETCHED = 10;
/** Shares of the records that are overwritten before a measurement. */
const SHARES = [0, 0.001, 0.01, 0.1, 0.5];
const PROFILE = sampleProfile({ dimension: DIMENSION });

const folder = mkdtempSync(join(tmpdir(), 'pinyon-bench-as-of-'));
const random = new RandomRecords(PROFILE, 5);
const index = openInProcess(PROFILE, folder, {
  history: { bounds: { msMax: 86_400_000, diskPercentMax: 50 } },
});
const queries = Array.from({ length: QUERIES }, () => random.vectors().values);

async function upsert(first: number, count: number): Promise<void> {
  for (let at = first; at < first + count; at += BATCH)
    await index.writer.upsert('', random.records(at, Math.min(BATCH, first + count - at)));
}

/** Microseconds of processor time for a query, and for a fetch. */
async function measure(reader: VectorReader): Promise<readonly [query: number, fetch: number]> {
  const searched = await microseconds(async () => {
    for (const values of queries) await reader.query(sampleQuery({ values, topK: 10 }));
  });
  const ids = Array.from({ length: FETCHED }, (_, i) => `r${Math.floor((i * RECORDS) / FETCHED)}`);
  const fetched = await microseconds(async () => {
    for (let i = 0; i < QUERIES; i++) await reader.fetch('', ids);
  });
  return [searched / QUERIES, fetched / QUERIES];
}

async function compare(title: string, then: VectorReader): Promise<void> {
  const rounds: number[][] = [];
  for (let round = 0; round < ROUNDS; round++)
    rounds.push([...(await measure(index.reader)), ...(await measure(then))]);
  const [query, fetch, pastQuery, pastFetch] = [0, 1, 2, 3].map((at) =>
    Math.round(median(rounds.map((each) => each[at] ?? 0))),
  );
  process.stdout.write(
    `${title.padEnd(28)} query ${query} -> ${pastQuery} us   fetch of ${FETCHED} ${fetch} -> ${pastFetch} us\n`,
  );
}

await upsert(0, RECORDS);
const { reader } = index;
await reader.query(sampleQuery({ values: queries[0] ?? null }));
const lsn = await reader.lsn();
let changed = 0;
for (const share of SHARES) {
  const count = Math.round(share * RECORDS) - changed;
  await upsert(changed, count);
  changed += count;
  await compare(`${share * 100} % overwritten`, reader.asOf({ lsn }));
}
await index.writer.deleteNamespace('');
await compare('namespace dropped', reader.asOf({ lsn }));
await index.close();
rmSync(folder, { recursive: true, force: true });
