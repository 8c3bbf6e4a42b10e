// Whatever lies in the place of a snapshot is detected and never used as one.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { crc32 } from 'node:zlib';
import { tempFolder } from '../../testing/temp-folder.ts';
import { fillParts, fillPartsInSlices } from './fill-parts.ts';
import { dataStart, decodePreamble, encodePreamble, PREAMBLE_BYTES } from './preamble.ts';
import { readHeader } from './read-header.ts';
import {
  assertNoBitMayChange,
  bytesOf,
  emptySample,
  isWhole,
  type PartShape,
  readAll,
  sample,
  usable,
} from './testing/sample.ts';
import { writeSnapshot } from './write-snapshot.ts';

const CHUNK_BYTES = 8_192;
const SHAPES: readonly PartShape[] = [
  { name: 'codes', count: 2, bytesEach: 65_536 },
  { name: 'live', count: 3, bytesEach: 4_096 },
  { name: 'links', count: 1, bytesEach: 65_536 },
];
const BIT_FLIPS = 400;

async function written(t: TestContext): Promise<{ readonly path: string; readonly bytes: Buffer }> {
  const path = join(tempFolder(t), 'snapshot');
  await writeSnapshot(path, { ...sample(SHAPES, 3), header: { seq: 5 } }, { chunkBytes: CHUNK_BYTES });
  return { path, bytes: readFileSync(path) };
}

function reasonOf(path: string): string {
  const result = readHeader(path);
  return result.usable ? 'usable' : result.reason;
}

/** The file with a right checksum over other first bytes. */
function forged(bytes: Buffer, at: number, value: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt32LE(value, at);
  copy.writeUInt32LE(crc32(copy.subarray(0, PREAMBLE_BYTES - 4)), PREAMBLE_BYTES - 4);
  return copy;
}

describe('a file that is not a whole snapshot', () => {
  it('is rejected when it is truncated anywhere, or followed by something', async (t) => {
    const { path, bytes } = await written(t);
    const preamble = decodePreamble(bytes.subarray(0, PREAMBLE_BYTES));
    const data = dataStart(preamble);
    const borders = [0, 8, 16, PREAMBLE_BYTES, PREAMBLE_BYTES + preamble.headBytes, data, bytes.length];
    for (let at = data; at < bytes.length; at += CHUNK_BYTES) borders.push(at);
    for (const border of borders) {
      for (const length of [border - 1, border, border + 1, border + 100]) {
        if (length < 0 || length === bytes.length) continue;
        const cut = Buffer.concat([bytes, Buffer.alloc(100)]).subarray(0, length);
        writeFileSync(path, cut);
        assert.equal(reasonOf(path), 'damaged', `${length} bytes`);
      }
    }
  });

  it('is rejected when it is truncated after its header was read', async (t) => {
    const { path, bytes } = await written(t);
    const snapshot = usable(path);
    truncateSync(path, bytes.length - 1);
    const { memory, parts } = emptySample(SHAPES, 1);
    const filled = fillParts(snapshot, memory, parts);
    assert.ok(!filled.usable && filled.reason === 'damaged');
    rmSync(path);
    const missing = fillParts(snapshot, memory, parts);
    assert.ok(!missing.usable && missing.reason === 'missing');
  });

  it('is rejected when any single bit has changed', async (t) => {
    const { path } = await written(t);
    assertNoBitMayChange(path, BIT_FLIPS);
  });

  it('is rejected when blocks are lost, swapped or left from an older file', async (t) => {
    const { path, bytes } = await written(t);
    await writeSnapshot(path, { ...sample(SHAPES, 4), header: { seq: 6 } }, { chunkBytes: CHUNK_BYTES });
    const older = bytes;
    const newer = readFileSync(path);
    assert.equal(newer.length, older.length);
    for (let at = 0; at < newer.length; at += 4_096) {
      const other = (at + CHUNK_BYTES) % newer.length;
      for (const block of [
        Buffer.alloc(4_096),
        older.subarray(at, at + 4_096),
        newer.subarray(other, other + 4_096),
      ]) {
        const changed = Buffer.from(newer);
        block.copy(changed, at);
        // Where the header is padded, one block is like another.
        if (changed.equals(newer)) continue;
        writeFileSync(path, changed);
        assert.equal(isWhole(readAll(path)), false, `byte ${at}`);
      }
    }
  });

  it('still provides its intact parts, and no others', async (t) => {
    const { path, bytes } = await written(t);
    const original = sample(SHAPES, 3);
    const data = dataStart(decodePreamble(bytes.subarray(0, PREAMBLE_BYTES)));
    const places = { codes: data + 9_000, live: data + 2 * 65_536 + 12_287, links: bytes.length - 1 };
    for (const [name, at] of Object.entries(places)) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 0x40;
      writeFileSync(path, changed);
      for (const fill of [fillParts, fillPartsInSlices]) {
        const read = emptySample(SHAPES, 9);
        assert.deepEqual(await fill(usable(path), read.memory, read.parts), {
          usable: true,
          damaged: [name],
        });
        for (const [i, part] of original.parts.entries()) {
          const target = read.parts[i];
          assert.ok(target !== undefined);
          const [filled, expected] = [bytesOf(read, target), bytesOf(original, part)];
          if (part.name !== name) assert.ok(filled.equals(expected), part.name);
          else assert.ok(filled.every((byte, b) => byte === 0 || byte === expected[b]));
        }
      }
    }
  });

  it('is rejected with what it is', async (t) => {
    const { path, bytes } = await written(t);
    const folder = tempFolder(t);
    const place = (name: string, content: Uint8Array | string) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    mkdirSync(join(folder, 'folder'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    symlinkSync(join(folder, 'loop'), join(folder, 'loop'));
    assert.equal(reasonOf(path), 'usable');
    assert.equal(reasonOf(join(folder, 'nothing')), 'missing');
    assert.equal(reasonOf(join(path, 'below-a-file')), 'missing');
    assert.equal(reasonOf(join(folder, 'folder')), 'foreign');
    assert.equal(reasonOf(join(folder, 'pipe')), 'foreign');
    assert.equal(reasonOf(join(folder, 'loop')), 'unreadable');
    assert.equal(reasonOf(place('empty', '')), 'damaged');
    assert.equal(reasonOf(place('zeros', Buffer.alloc(9_000))), 'foreign');
    assert.equal(reasonOf(place('short', 'hello')), 'foreign');
    assert.equal(reasonOf(place('text', 'hello '.repeat(5_000))), 'foreign');
    assert.equal(reasonOf(place('newer', forged(bytes, 8, 3))), 'newer');
    assert.equal(reasonOf(place('other order', forged(bytes, 12, 2))), 'foreign');
  });

  it('is rejected even when its checksums are right', async (t) => {
    const { path, bytes } = await written(t);
    for (const at of [16, 24, 28, 32, 36, 40]) {
      for (const value of [0, 1, 2 ** 20, 2 ** 32 - 1]) {
        writeFileSync(path, forged(bytes, at, value));
        assert.equal(reasonOf(path) === 'damaged' || at === 40, true, `${value} at ${at}`);
        assert.equal(isWhole(readAll(path)), false, `${value} at ${at}`);
      }
    }
    for (const json of ['', 'null', '[]', '{', '{"header":1}', '{"header":1,"parts":{}}', ...DAMAGED_PARTS]) {
      writeFileSync(path, fileWithHead(json));
      assert.equal(reasonOf(path), 'damaged', json);
    }
  });

  it('is rejected when another file has replaced it since its header was read', async (t) => {
    const { path } = await written(t);
    const snapshot = usable(path);
    const source = sample(SHAPES, 4);
    await writeSnapshot(path, { ...source, header: { seq: 5 } }, { chunkBytes: CHUNK_BYTES });
    const filled = fillParts(snapshot, source.memory, source.parts);
    assert.ok(!filled.usable && filled.reason === 'missing');
  });
});

const DAMAGED_PARTS = [
  'null',
  '{"name":"a","count":1}',
  '{"name":1,"count":0,"bytesEach":1}',
  '{"name":"a","count":-1,"bytesEach":1}',
  '{"name":"a","count":0.5,"bytesEach":2}',
  '{"name":"a","count":1e300,"bytesEach":1}',
  '{"name":"a","count":9007199254740991,"bytesEach":9007199254740991}',
  '{"name":"a","count":1,"bytesEach":1}',
].map((part) => `{"header":1,"parts":[${part}]}`);

/** A file without chunks, every checksum right. */
function fileWithHead(json: string): Buffer {
  const head = Buffer.from(json);
  const preamble = encodePreamble({
    id: '0011223344556677',
    isPacked: false,
    fileBytes: PREAMBLE_BYTES + head.length,
    headBytes: head.length,
    headSum: crc32(head),
    chunkBytes: CHUNK_BYTES,
    chunkCount: 0,
    tableSum: crc32(Buffer.alloc(0)),
  });
  return Buffer.concat([preamble, head]);
}
