// Measures what the history of an index costs: processor time of upserts, overwrites and queries with and without it, by
// turns in one process, and the disk space that it takes.
import '../../src/boot/runtime-flags.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleProfile, sampleQuery } from '../../src/engine/conformance/sample-data.ts';
import { openInProcess } from '../../src/engine/embedded/in-process-index.ts';
import type { HistoryBounds } from '../../src/engine/embedded/indexing/history/history-keeper.ts';
import { bytesOnDisk } from '../../src/engine/embedded/storage/index-files.ts';
import { RandomRecords } from '../../src/engine/embedded/testing/random-records.ts';
import type { StorableRecord } from '../../src/engine/port/reader-and-writer.ts';
import { median, microseconds } from './processor-time.ts';

const RECORDS = Number(process.env.BENCH_RECORDS ?? 10_000);
const DIMENSION = 768;
const BATCH = 100;
const QUERIES = 300;
const ROUNDS = 5;
const DAY: HistoryBounds = { msMax: 86_400_000, diskPercentMax: 50 };
const PROFILE = sampleProfile({ dimension: DIMENSION });

interface Figures {
  /** Microseconds of processor time for one record, or one query. */
  readonly inserted: number;
  readonly overwritten: number;
  readonly updated: number;
  readonly queried: number;
  readonly bytes: number;
}

const records = new RandomRecords(PROFILE, 5).records(0, RECORDS);

async function measure(bounds: HistoryBounds | null): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-bench-history-'));
  const index = openInProcess(PROFILE, folder, { history: { bounds } });
  const upsertAll = async () => {
    for (const batch of batches(records)) await index.writer.upsert('', batch);
  };
  const inserted = await microseconds(upsertAll);
  const overwritten = await microseconds(upsertAll);
  const updated = await microseconds(async () => {
    for (const batch of batches(records))
      await index.writer.updateMany(
        '',
        batch.map(({ id }) => ({ id, values: null, sparse: null, setMetadata: { part: 9 } })),
      );
  });
  const query = (i: number) =>
    index.reader.query(sampleQuery({ values: records[i % RECORDS]?.values ?? null, topK: 10 }));
  await query(0);
  const queried = await microseconds(async () => {
    for (let i = 0; i < QUERIES; i++) await query(i * 7);
  });
  await index.close();
  const bytes = bytesOnDisk(folder);
  rmSync(folder, { recursive: true, force: true });
  return {
    ...{ inserted: inserted / RECORDS, overwritten: overwritten / RECORDS, updated: updated / RECORDS },
    ...{ queried: queried / QUERIES, bytes },
  };
}

function* batches(all: readonly StorableRecord[]): Generator<readonly StorableRecord[]> {
  for (let first = 0; first < all.length; first += BATCH) yield all.slice(first, first + BATCH);
}

const rounds: { readonly without: Figures; readonly with: Figures }[] = [];
await measure(null);
for (let round = 0; round < ROUNDS; round++) {
  const without = await measure(null);
  rounds.push({ without, with: await measure(DAY) });
}
const shown = (['inserted', 'overwritten', 'updated', 'queried', 'bytes'] as const).map((figure) => {
  const [off, on] = [median(rounds.map((r) => r.without[figure])), median(rounds.map((r) => r.with[figure]))];
  return {
    figure,
    without: Math.round(off * 10) / 10,
    with: Math.round(on * 10) / 10,
    ratio: (off / on).toFixed(2),
  };
});
process.stdout.write(
  `${RECORDS} records x ${DIMENSION}, processor time in microseconds, medians of ${ROUNDS}\n`,
);
for (const { figure, without, with: on, ratio } of shown)
  process.stdout.write(`${figure.padEnd(12)} without ${without}  with ${on}  without/with ${ratio}\n`);
