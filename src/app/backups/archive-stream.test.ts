// Archives in blobs: they read back as written, and any change is detected.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { contentOf, piecesOf } from '../../blobs/conformance/conformance-suite.ts';
import { openFolderBlobs } from '../../blobs/folder/open-folder-blobs.ts';
import { BlobExists, type Blobs } from '../../blobs/port.ts';
import { SAMPLE_INDEX } from '../../catalog/conformance/conformance-suite.ts';
import type { Archive } from '../../domain/backups/archive.ts';
import { ArchiveDamaged, type ArchiveManifest, manifestKey, partKey, sha256Of } from './archive-format.ts';
import { newArchive } from './backup-service.ts';
import { clearArchive } from './clear-archive.ts';
import { cutStream } from './cut-stream.ts';
import { openArchive } from './read-archive.ts';
import { writeArchive } from './write-archive.ts';

const PART_BYTES = 10_000;
const signal = new AbortController().signal;
const DETAILS = { seq: 1, recordCount: 7, namespaceCount: 2, sizeBytes: 1 };

let folder: string;
let blobs: Blobs;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pinyon-archive-'));
  blobs = await openFolderBlobs(folder);
});
after(() => rm(folder, { recursive: true }));

/** @param again the archive of which this is another attempt; absent for a new one */
async function written(content: Buffer, again?: Archive): Promise<Archive> {
  const archive = again ?? newArchive(SAMPLE_INDEX, { face: 'backup', name: null, description: null });
  const bytes = piecesOf(content, 3_001);
  const sha256 = Promise.resolve(sha256Of(content));
  const copy = {
    ...DETAILS,
    bytesExpected: content.byteLength,
    bytes,
    sha256,
    release: async () => undefined,
  };
  const fields = await writeArchive(
    blobs,
    { archive, copy },
    { signal, onBytes: () => undefined, partBytes: PART_BYTES },
  );
  return { ...archive, ...fields, state: 'Ready' };
}

/** Reads like a restore, which rejects content without the manifest's checksum. */
async function readBack(archive: Archive): Promise<Buffer> {
  const { content, sha256 } = await openArchive(blobs, archive, { signal, onShare: () => undefined });
  const bytes = Buffer.concat(await Array.fromAsync(content));
  if (sha256Of(bytes) !== sha256) throw new ArchiveDamaged('it is another');
  return bytes;
}

test('cuts a stream into full parts except the last, which join to the same stream', async () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 1, max: 25 }), async (pieces, partBytes) => {
      const content = pieces.map((size) => randomBytes(size));
      async function* stream() {
        yield* content;
      }
      const parts: Buffer[] = [];
      for await (const part of cutStream(stream(), partBytes)) {
        parts.push(Buffer.concat(await Array.fromAsync(part)));
      }
      assert.ok(Buffer.concat(parts).equals(Buffer.concat(content)));
      assert.ok(parts.slice(0, -1).every(({ byteLength }) => byteLength === partBytes));
      assert.ok(parts.length === 1 || (parts.at(-1)?.byteLength ?? 0) > 0);
    }),
    { seed: 3, numRuns: 150 },
  );
});

test('reads an archive of any size back byte for byte, and reports its size in storage', async () => {
  for (const size of [0, 1, PART_BYTES, 3 * PART_BYTES + 77]) {
    const content = randomBytes(size);
    const archive = await written(content);
    assert.ok(content.equals(await readBack(archive)), `${size} bytes differ`);
    const { items } = await blobs.list(`archives/${archive.id}/`, null);
    assert.equal(
      items.reduce((sum, { bytes }) => sum + bytes, 0),
      archive.sizeBytes,
    );
    assert.deepEqual([archive.recordCount, archive.namespaceCount], [7, 2]);
  }
});

test('describes the archive in the manifest, without the catalog', async () => {
  const archive = await written(randomBytes(25_000));
  const manifest = JSON.parse(
    (await contentOf(blobs, manifestKey(archive.id))).toString(),
  ) as ArchiveManifest;
  assert.deepEqual(manifest.source, SAMPLE_INDEX);
  assert.deepEqual(
    manifest.parts.map(({ bytes }) => bytes),
    [10_000, 10_000, 5_000],
  );
  assert.equal(manifest.sha256, sha256Of(await readBack(archive)));
});

test('detects any change in storage before the end of the stream', async () => {
  const content = randomBytes(2 * PART_BYTES + 500);
  const changes: readonly [string, (archive: Archive) => Promise<void>][] = [
    ['a part is cut', (archive) => change(partKey(archive.id, 1), (bytes) => bytes.subarray(0, -1))],
    [
      'a part is longer',
      (archive) => change(partKey(archive.id, 1), (bytes) => Buffer.concat([bytes, bytes])),
    ],
    ['a bit is flipped', (archive) => change(partKey(archive.id, 0), (bytes) => flipped(bytes))],
    ['the last bit is flipped', (archive) => change(partKey(archive.id, 2), (bytes) => flipped(bytes, -1))],
    ['parts are swapped', (archive) => swap(partKey(archive.id, 0), partKey(archive.id, 1))],
    ['a part is gone', (archive) => blobs.delete(partKey(archive.id, 2))],
    ['the manifest is gone', (archive) => blobs.delete(manifestKey(archive.id))],
    ['the manifest is changed', (archive) => change(manifestKey(archive.id), (bytes) => flipped(bytes))],
    [
      'another archive',
      async (archive) => swap(partKey(archive.id, 0), partKey((await written(content)).id, 1)),
    ],
  ];
  for (const [what, tamper] of changes) {
    const archive = await written(content);
    await tamper(archive);
    await assert.rejects(readBack(archive), ArchiveDamaged, what);
  }
});

test('stops reading at once when a part is longer than it was', async () => {
  const archive = await written(randomBytes(500));
  await blobs.put(partKey(archive.id, 0), piecesOf(Buffer.alloc(64 * 2 ** 20), 2 ** 20));
  let read = 0;
  const { content } = await openArchive(blobs, archive, { signal, onShare: () => undefined });
  const reading = async () => {
    for await (const piece of content) read += piece.byteLength;
  };
  await assert.rejects(reading, ArchiveDamaged);
  assert.ok(read < 4 * 2 ** 20);
});

test('refuses an archive of another format by name', async () => {
  const archive = await written(randomBytes(500));
  const manifest = JSON.parse(
    (await contentOf(blobs, manifestKey(archive.id))).toString(),
  ) as ArchiveManifest;
  const other = Buffer.from(JSON.stringify({ ...manifest, format: 1 }));
  await blobs.put(manifestKey(archive.id), piecesOf(other));
  await assert.rejects(readBack({ ...archive, manifestSha256: sha256Of(other) }), /format 1/);
});

test('never replaces what another attempt at the same archive has stored', async () => {
  const archive = await written(randomBytes(3 * PART_BYTES));
  const content = await readBack(archive);
  await assert.rejects(written(randomBytes(3 * PART_BYTES), archive), BlobExists);
  assert.ok(content.equals(await readBack(archive)));
});

test('clears everything of one archive and nothing of others', async () => {
  const [one, other] = [await written(randomBytes(30_000)), await written(randomBytes(30_000))];
  await clearArchive(blobs, one.id);
  await clearArchive(blobs, one.id);
  assert.deepEqual((await blobs.list(`archives/${one.id}/`, null)).items, []);
  assert.equal((await readBack(other)).byteLength, 30_000);
});

async function change(key: string, how: (bytes: Buffer) => Buffer): Promise<void> {
  await blobs.put(key, piecesOf(how(await contentOf(blobs, key))));
}

function flipped(bytes: Buffer, at = 20): Buffer {
  const copy = Buffer.from(bytes);
  const place = at < 0 ? bytes.byteLength + at : at;
  copy[place] = (copy[place] ?? 0) ^ 4;
  return copy;
}

async function swap(one: string, other: string): Promise<void> {
  const [first, second] = [await contentOf(blobs, one), await contentOf(blobs, other)];
  await blobs.put(one, piecesOf(second));
  await blobs.put(other, piecesOf(first));
}
