// Guarantees of scrubbing: damage is found without a request, and what is being written is never called damaged.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { until } from '../../../platform/testing/until.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { openInProcess } from '../in-process-index.ts';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { indexFolder } from '../storage/index-files.ts';
import { SealedRecords } from '../storage/integrity/sealed-records.ts';
import { effort } from '../testing/effort.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { type ScrubbedFiles, Scrubber } from './scrubber.ts';

const PROFILE = sampleProfile({ dimension: 16, metric: 'euclidean' });
const RECORDS = 2_000;
const ROUNDS = effort({ daily: 8, long: 80 });

function records(random: Random, count: number) {
  return Array.from({ length: count }, (_, i) => ({
    id: `r${i}`,
    values: Float32Array.from({ length: 16 }, () => random.normal()),
    sparse: null,
    metadataJson: JSON.stringify({ i, note: 'x'.repeat(random.integer(25) === 0 ? 6_000 : 60) }),
  }));
}

function scrubberOf(dataDir: string, files: () => ScrubbedFiles | undefined) {
  const found: string[] = [];
  const scrubber = new Scrubber({
    dataDir,
    bytesPerSecond: 2 ** 40,
    isOwn: () => true,
    filesOf: files,
    onDamage: (_, { message }) => found.push(message),
    onRecordDamage: (_, what) => found.push(what),
    startMs: 0,
    roundMsMin: 1,
  });
  return { scrubber, found };
}

it('finds nothing while records are rewritten and removed all the time', async (test) => {
  const dataDir = tempFolder(test);
  const random = new Random(71);
  const index = openInProcess(PROFILE, indexFolder(dataDir, PROFILE.id));
  await index.writer.upsert('', records(random, RECORDS));
  const sealed = SealedRecords.verify(indexFolder(dataDir, PROFILE.id));
  for (const _ of sealed.seal());
  const { scrubber, found } = scrubberOf(dataDir, () => index.parts.files);
  for (let round = 0; round < ROUNDS; round++) {
    await index.writer.upsert('', records(random, RECORDS / 4));
    await index.writer.deleteIds('', [`r${random.integer(RECORDS)}`]);
    // Sums that are extended keep entries of pages that were freed since.
    if (round % 3 === 0) for (const _ of sealed.seal());
    await new Promise(setImmediate);
  }
  await scrubber.close();
  await index.close();
  assert.deepEqual(found, []);
  const again = scrubberOf(dataDir, () => undefined);
  await until(() => (again.scrubber.progressOf(PROFILE.id)?.finishedAt ?? null) !== null, 'a round');
  await again.scrubber.close();
  assert.deepEqual(again.found, []);
  assert.ok((again.scrubber.progressOf(PROFILE.id)?.bytes ?? 0) > RECORDS * 64, 'reads records and rows');
});

for (const [what, name, at, expected] of [
  ['page', 'records.mdb', 0.5, /records\.mdb is damaged: page \d+ does not have its checksum/],
  ['vector', 'rows.f32', 0.1, /rows\.f32: row \d+ does not have its checksum/],
] as const)
  it(`finds a damaged ${what} of a closed and of an open index`, async (test) => {
    const dataDir = tempFolder(test);
    const folder = indexFolder(dataDir, PROFILE.id);
    const index = openInProcess(PROFILE, folder);
    await index.writer.upsert('', records(new Random(72), RECORDS));
    await index.close();
    const open = openInProcess(PROFILE, folder);
    const path = join(folder, name);
    const bytes = readFileSync(path);
    bytes.fill(0x5a, Math.floor(bytes.length * at), Math.floor(bytes.length * at) + 4_096);
    writeFileSync(path, bytes);
    for (const files of [undefined, open.parts.files]) {
      const { scrubber, found } = scrubberOf(dataDir, () => files);
      await until(() => found.length > 0, 'finding damage');
      await scrubber.close();
      assert.match(found[0] ?? '', expected);
    }
    await open.close();
  });
