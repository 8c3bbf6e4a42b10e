// Snapshots with packed parts take less space, and are read, refused and read in part as others are.
import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { crc32 } from 'node:zlib';
import { tempFolder } from '../../testing/temp-folder.ts';
import { fillParts, fillPartsInSlices } from './fill-parts.ts';
import {
  dataStart,
  decodePreamble,
  encodePreamble,
  entryBytes,
  PREAMBLE_BYTES,
  SUM_BYTES,
} from './preamble.ts';
import { readHeader } from './read-header.ts';
import { breakFiles, systemError } from './testing/faulty-disk.ts';
import {
  assertNoBitMayChange,
  assertSameParts,
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
  { name: 'terms', count: 3, bytesEach: 4_096, isPacked: true },
  { name: 'lists', count: 1, bytesEach: 65_536, isPacked: true },
];
const PLAIN = SHAPES.map((shape) => ({ ...shape, isPacked: false }));
const BIT_FLIPS = 300;

async function written(t: TestContext, shapes = SHAPES): Promise<string> {
  const path = join(tempFolder(t), 'snapshot');
  const made = sample(SHAPES, 3);
  const parts = made.parts.map((part, i) => ({ ...part, isPacked: shapes[i]?.isPacked ?? false }));
  const { bytes } = await writeSnapshot(path, { ...made, parts, header: 1 }, { chunkBytes: CHUNK_BYTES });
  assert.equal(statSync(path).size, bytes);
  return path;
}

it('are smaller, and give back what was saved', async (t) => {
  const [packed, plain] = [await written(t), await written(t, PLAIN)];
  assert.ok(statSync(packed).size < 0.8 * statSync(plain).size);
  for (const path of [packed, plain])
    for (const fill of [fillParts, fillPartsInSlices]) {
      const read = emptySample(SHAPES, 9);
      assert.deepEqual(await fill(usable(path), read.memory, read.parts), { usable: true, damaged: [] });
      assertSameParts(read, sample(SHAPES, 3));
    }
});

it('are refused when any single bit has changed, or the end is missing', async (t) => {
  const path = await written(t);
  assertNoBitMayChange(path, BIT_FLIPS);
  const bytes = readFileSync(path);
  const head = dataStart(decodePreamble(bytes.subarray(0, PREAMBLE_BYTES)));
  for (const length of [head, head + 100, bytes.length - 1]) {
    writeFileSync(path, bytes.subarray(0, length));
    assert.equal(readHeader(path).usable, false, `${length} bytes`);
  }
});

it('still provide the parts before and behind a damaged one', async (t) => {
  const path = await written(t);
  const bytes = readFileSync(path);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  writeFileSync(path, bytes);
  const read = emptySample(SHAPES, 9);
  assert.deepEqual(fillParts(usable(path), read.memory, read.parts), { usable: true, damaged: ['lists'] });
});

it('are refused when their table has other lengths, or chunks are larger than they may be, with right checksums', async (t) => {
  const path = await written(t);
  const bytes = readFileSync(path);
  const preamble = decodePreamble(bytes.subarray(0, PREAMBLE_BYTES));
  const tableAt = PREAMBLE_BYTES + preamble.headBytes;
  const lengthAt = (chunk: number) => tableAt + chunk * entryBytes(preamble) + SUM_BYTES;
  for (const [chunk, change] of [
    [0, 1],
    [0, -1],
    [20, 2 ** 20],
  ] as const) {
    const forged = Buffer.from(bytes);
    forged.writeUInt32LE(bytes.readUInt32LE(lengthAt(chunk)) + change, lengthAt(chunk));
    // The next chunk takes up the difference, so that the lengths have the right sum.
    forged.writeUInt32LE((bytes.readUInt32LE(lengthAt(chunk + 1)) - change) >>> 0, lengthAt(chunk + 1));
    const tableSum = crc32(forged.subarray(tableAt, dataStart(preamble)));
    encodePreamble({ ...preamble, tableSum }).copy(forged);
    writeFileSync(path, forged);
    assert.equal(isWhole(readAll(path)), false, `chunk ${chunk}`);
  }
});

it('are not replaced by a write that fails while the next chunk is compressed', async (t) => {
  const path = await written(t);
  const error = systemError('EIO');
  const mend = breakFiles({
    call: 'write',
    nth: 2,
    act: () => {
      throw error;
    },
  });
  t.after(mend);
  const again = writeSnapshot(path, { ...sample(SHAPES, 5), header: 2 }, { chunkBytes: CHUNK_BYTES });
  await assert.rejects(again, error);
  mend();
  assert.equal(isWhole(readAll(path)), true);
});
