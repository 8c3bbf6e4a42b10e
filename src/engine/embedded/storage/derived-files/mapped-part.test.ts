// Parts that are mapped: only those that lie in the file as in memory, and damage is found afterwards.
import assert from 'node:assert/strict';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { tempFolder } from '../../testing/temp-folder.ts';
import { MappedPart } from './mapped-part.ts';
import { breakOpenings } from './testing/faulty-disk.ts';
import { type PartShape, sample, usable } from './testing/sample.ts';
import { writeSnapshot } from './write-snapshot.ts';

const CODES: PartShape = { name: 'codes', count: 3, bytesEach: 65_536 };
const LIVE: PartShape = { name: 'live', count: 5, bytesEach: 100 };
const CHUNK_BYTES = 8_192;
const NEVER = new AbortController().signal;

async function written(test: TestContext, shapes: readonly PartShape[]): Promise<string> {
  const path = join(tempFolder(test), 'snapshot');
  await writeSnapshot(path, { ...sample(shapes, 3), header: {} }, { chunkBytes: CHUNK_BYTES });
  return path;
}

function openPart(path: string): MappedPart {
  const part = MappedPart.open(usable(path), 'codes');
  assert.ok(part instanceof MappedPart);
  return part;
}

it('begins at a page of any system when it is the first part, and is whole', async (test) => {
  const part = openPart(await written(test, [CODES, LIVE]));
  assert.equal(part.from % 65_536, 0);
  assert.equal(await part.isWhole(NEVER), true);
  part.close();
});

it('is to be read when it begins elsewhere, is missing, or is compressed', async (test) => {
  assert.equal(MappedPart.open(usable(await written(test, [LIVE, CODES])), 'codes'), null);
  assert.equal(MappedPart.open(usable(await written(test, [LIVE])), 'codes'), null);
  const packed = await written(test, [{ ...CODES, isPacked: true }, LIVE]);
  assert.equal(MappedPart.open(usable(packed), 'codes'), null);
});

it('is not whole when any bit of it is flipped, and is when another part is damaged', async (test) => {
  const path = await written(test, [CODES, LIVE]);
  const whole = readFileSync(path);
  const { from } = openPart(path);
  const codesBytes = CODES.count * CODES.bytesEach;
  for (const [at, isWhole] of [
    [from, false],
    [from + codesBytes - 1, false],
    [from + codesBytes, true],
  ] as const) {
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    const part = openPart(path);
    assert.equal(await part.isWhole(NEVER), isWhole);
    part.close();
  }
});

it('belongs to the file that was opened, whatever takes its place', async (test) => {
  const path = await written(test, [CODES, LIVE]);
  const snapshot = usable(path);
  const part = openPart(path);
  renameSync(await written(test, [CODES, LIVE]), path);
  assert.equal(await part.isWhole(NEVER), true);
  part.close();
  const late = MappedPart.open(snapshot, 'codes');
  assert.ok(late !== null && !(late instanceof MappedPart));
  assert.equal(late.reason, 'missing');
});

it('tells when the system cannot open it, and stops when it is told to', async (test) => {
  const path = await written(test, [CODES, LIVE]);
  renameSync(path, `${path}.segment`);
  const snapshot = usable(`${path}.segment`);
  const mend = breakOpenings('EMFILE', 1);
  const refused = MappedPart.open(snapshot, 'codes');
  mend();
  assert.ok(refused !== null && !(refused instanceof MappedPart));
  assert.equal(refused.reason, 'exhausted');
  const part = openPart(`${path}.segment`);
  await assert.rejects(part.isWhole(AbortSignal.abort(new Error('enough'))), /enough/);
  part.close();
});
