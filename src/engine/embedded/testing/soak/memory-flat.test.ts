// Records that are replaced over and over take no more memory or disk space than at first.
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { sampleProfile } from '../../../conformance/sample-data.ts';
import { openInProcess } from '../../in-process-index.ts';
import { effort } from '../effort.ts';
import { tempFolder } from '../temp-folder.ts';
import { SoakRecords } from './soak-records.ts';

/** For a night: PINYON_FLAT_ROUNDS=1000 */
const ROUNDS = Number(process.env.PINYON_FLAT_ROUNDS ?? effort({ daily: 30, long: 200 }));
const RECORDS = 3_000;
const REPLACED = 750;
/** The second half of the time against the first; files are made at different times, memory is not. */
const GROWTH_MAX = { arena: 1.1, disk: 1.25 };
const MS_MAX = 3_600_000;

it('keeps memory and files flat while records are replaced', { timeout: MS_MAX }, async (test) => {
  const folder = tempFolder(test);
  const profile = sampleProfile({ metric: 'cosine', dimension: 32 });
  const records = new SoakRecords(profile, 5);
  const index = openInProcess(profile, folder, {
    directRecordsMax: 0,
    maintenanceLimits: { graphRecordsMin: 500, unindexedSlotsMin: 64 },
    saveIdleMs: 0,
  });
  test.after(() => index.close());
  await index.writer.upsert(
    '',
    Array.from({ length: RECORDS }, (_, i) => records.record(`r${i}`)),
  );
  const sizes: { readonly arena: number; readonly disk: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const batch = Array.from({ length: REPLACED }, () =>
      records.record(`r${records.random.integer(RECORDS)}`),
    );
    await index.writer.upsert('', batch);
    await index.reader.query(records.query(''));
    if (round % 3 === 0) await index.parts.loaded.settled();
    const arena = index.parts.attachment().memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
    sizes.push({ arena, disk: bytesIn(folder) });
  }
  const half = sizes.length / 2;
  for (const part of ['arena', 'disk'] as const) {
    const before = Math.max(...sizes.slice(0, half).map((size) => size[part]));
    const after = Math.max(...sizes.slice(half).map((size) => size[part]));
    test.diagnostic(`${part}: ${before} bytes at most in the first half, ${after} in the second`);
    assert.ok(after <= GROWTH_MAX[part] * before, `${part}: ${before} bytes, then ${after}`);
  }
});

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.blocks ?? 0)
    .reduce((sum, blocks) => sum + blocks * 512, 0);
}
