// What is read is what was written: any parts, at any addresses, by one thread or several.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { tempFolder } from '../../testing/temp-folder.ts';
import { fillParts, fillPartsInSlices } from './fill-parts.ts';
import { HEAD_BYTES_MAX } from './preamble.ts';
import { assertSameParts, emptySample, type PartShape, sample, usable } from './testing/sample.ts';
import { writeSnapshot } from './write-snapshot.ts';

const WHOLE = { usable: true, damaged: [] };
const FRAMES_AND_BLOCKS: readonly PartShape[] = [
  { name: 'codes', count: 37, bytesEach: 65_536 },
  { name: 'live', count: 5, bytesEach: 4_096 },
  { name: 'none', count: 0, bytesEach: 4_096 },
  { name: 'links', count: 20, bytesEach: 65_536 },
];
const anyShapes = fc.uniqueArray(
  fc.record({
    name: fc.string({ maxLength: 8 }),
    count: fc.nat({ max: 40 }),
    bytesEach: fc.oneof(fc.constantFrom(1, 4_095, 4_096, 4_097, 65_536), fc.integer({ min: 1, max: 9_000 })),
  }),
  { selector: ({ name }) => name, maxLength: 6 },
);

describe('a snapshot', () => {
  it('restores any parts at other addresses, and any header', async (t) => {
    const path = join(tempFolder(t), 'snapshot');
    const property = fc.asyncProperty(
      anyShapes,
      fc.jsonValue(),
      fc.constantFrom(4_096, 5_000, 1_048_576),
      async (shapes, header, chunkBytes) => {
        const written = sample(shapes, 7);
        await writeSnapshot(path, { ...written, header }, { chunkBytes });
        const snapshot = usable(path);
        assert.deepEqual(snapshot.header, JSON.parse(JSON.stringify(header)));
        assert.deepEqual(
          snapshot.parts,
          shapes.map(({ name, count, bytesEach }) => ({ name, count, bytesEach })),
        );
        assert.equal(snapshot.bytes, statSync(path).size);
        const read = emptySample(shapes, 8);
        assert.deepEqual(fillParts(snapshot, read.memory, read.parts), WHOLE);
        assertSameParts(read, written);
      },
    );
    await fc.assert(property, { seed: 12, numRuns: 60 });
  });

  it('is the same whether threads share its chunks, or one reads it in slices', async (t) => {
    const path = join(tempFolder(t), 'snapshot');
    const written = sample(FRAMES_AND_BLOCKS, 1);
    await writeSnapshot(path, { ...written, header: null });
    for (const threads of [1, 2, 3, 100]) {
      const read = emptySample(FRAMES_AND_BLOCKS, 2);
      for (let index = 0; index < threads; index++) {
        const filled = fillParts(usable(path), read.memory, read.parts, { share: { index, of: threads } });
        assert.deepEqual(filled, WHOLE);
      }
      assertSameParts(read, written);
    }
    const read = emptySample(FRAMES_AND_BLOCKS, 3);
    assert.deepEqual(await fillPartsInSlices(usable(path), read.memory, read.parts), WHOLE);
    assertSameParts(read, written);
  });

  it('provides some of its parts without the others, in any order', async (t) => {
    const path = join(tempFolder(t), 'snapshot');
    const written = sample(FRAMES_AND_BLOCKS, 1);
    await writeSnapshot(path, { ...written, header: null });
    const read = emptySample(FRAMES_AND_BLOCKS, 2);
    const [codes, live, , links] = read.parts;
    assert.ok(codes !== undefined && live !== undefined && links !== undefined);
    assert.deepEqual(fillParts(usable(path), read.memory, [links, live]), WHOLE);
    assert.ok(
      new Uint8Array(read.memory.buffer).subarray(0, codes.addresses.length * 65_536).every((b) => b === 0),
    );
    assert.deepEqual(fillParts(usable(path), read.memory, [codes]), WHOLE);
    assertSameParts(read, written);
  });

  it('stores bytes of the writing thread as well as shared memory', async (t) => {
    const path = join(tempFolder(t), 'snapshot');
    const written = sample(FRAMES_AND_BLOCKS, 1);
    const bytes = new Uint8Array(1_500_000).map((_, i) => i * 7);
    const parts = [{ name: 'own', bytes }, ...written.parts, { name: 'empty', bytes: new Uint8Array() }];
    await writeSnapshot(path, { memory: written.memory, header: null, parts });
    const read = new Uint8Array(bytes.length);
    const targets = [
      { name: 'own', bytes: read },
      { name: 'empty', bytes: new Uint8Array() },
    ];
    assert.deepEqual(fillParts(usable(path), written.memory, targets), WHOLE);
    assert.ok(Buffer.from(read).equals(bytes));
  });

  it('reads and fills memory that has grown since', async (t) => {
    const path = join(tempFolder(t), 'snapshot');
    const { memory, parts } = sample([{ name: 'codes', count: 1, bytesEach: 65_536 }], 1);
    const address = memory.grow(1) * 65_536;
    new Uint8Array(memory.buffer, address, 65_536).fill(5);
    await writeSnapshot(path, {
      memory,
      header: null,
      parts: [{ ...parts[0], name: 'codes', addresses: [address], bytesEach: 65_536 }],
    });
    const target = memory.grow(1) * 65_536;
    fillParts(usable(path), memory, [{ name: 'codes', addresses: [target], bytesEach: 65_536 }]);
    assert.ok(new Uint8Array(memory.buffer, target, 65_536).every((byte) => byte === 5));
  });

  it('is rejected when a caller requests the impossible', async (t) => {
    const path = join(tempFolder(t), 'snapshot');
    const { memory, parts } = sample(FRAMES_AND_BLOCKS, 1);
    const part = { name: 'codes', addresses: [0], bytesEach: 4_096 };
    const outside = { ...part, addresses: [memory.buffer.byteLength - 4_095] };
    for (const wrong of [
      [part, part],
      [outside],
      [{ ...part, addresses: [-1] }],
      [{ ...part, bytesEach: 0 }],
    ])
      await assert.rejects(writeSnapshot(path, { memory, header: null, parts: wrong }), RangeError);
    const header = 'x'.repeat(HEAD_BYTES_MAX);
    await assert.rejects(writeSnapshot(path, { memory, header, parts }), RangeError);
    await writeSnapshot(path, { memory, header: null, parts });
    for (const wrong of [[part], [{ ...part, name: 'other' }], [outside]])
      assert.throws(() => fillParts(usable(path), memory, wrong), RangeError);
    for (const share of [
      { index: 2, of: 2 },
      { index: -1, of: 1 },
      { index: 0, of: 0 },
    ])
      assert.throws(() => fillParts(usable(path), memory, parts, { share }), RangeError);
  });
});
