// Guarantees of scratch space: no size and no number of results places a search over memory of the index.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleProfile } from '../../conformance/sample-data.ts';
import type { QueryRequest } from '../../port/reader-and-writer.ts';
import { openInProcess } from '../in-process-index.ts';
import { Arena } from '../memory/arena.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { Scratch } from './scratch.ts';
import { Layout } from './workspace.ts';

const WRONG = [0, -1, -64, -1_000_000, 0.5, 2 ** 60, Number.NaN, Number.POSITIVE_INFINITY];

describe('scratch space', () => {
  it('has no area of a wrong size, before and after it has grown', () => {
    const scratch = new Scratch(Arena.create(8));
    for (const bytes of WRONG) assert.throws(() => scratch.area(bytes), RangeError, `${bytes}`);
    const address = scratch.area(64);
    assert.ok(address !== null && address > 0);
    for (const bytes of WRONG) assert.throws(() => scratch.area(bytes), RangeError, `${bytes}`);
    assert.equal(scratch.area(100), address);
  });

  it('has no room for more than the arena may hold', () => {
    assert.equal(new Scratch(Arena.create(8)).area(2 ** 40), null);
  });

  it('is laid out in areas that lie behind each other', () => {
    const layout = new Layout();
    layout.add(100);
    for (const bytes of [-1, -64, Number.NaN]) assert.throws(() => layout.add(bytes), RangeError);
    assert.equal(layout.add(0), 128);
    assert.equal(layout.bytes, 128);
  });
});

describe('a search', () => {
  it('for fewer than one result is refused, and leaves the index as it was', async (test) => {
    const profile = sampleProfile({ vectorType: 'sparse', metric: 'dotproduct', dimension: null });
    const index = openInProcess(profile, tempFolder(test), { directRecordsMax: 0 });
    test.after(() => index.close());
    const sparse = { indices: Uint32Array.of(1, 2), values: Float32Array.of(1, 1) };
    const records = Array.from({ length: 400 }, (_, i) => ({
      ...{ id: `r${i}`, values: null, metadataJson: null },
      sparse: { indices: Uint32Array.of(1, 2 + (i % 7)), values: Float32Array.of(1 + i, 2) },
    }));
    await index.writer.upsert('n', records);
    const request = (topK: number): QueryRequest => ({
      ...{ namespace: 'n', topK, values: null, sparse, filter: null },
      ...{ includeValues: false, includeMetadata: false },
    });
    const before = await index.reader.query(request(10));
    assert.equal(before.length, 10);
    for (const topK of [0, -1, -1_000, -1_000_000, 1.5, Number.NaN])
      await assert.rejects(index.reader.query(request(topK)), RangeError, `${topK}`);
    assert.deepEqual(await index.reader.query(request(10)), before);
  });
});
