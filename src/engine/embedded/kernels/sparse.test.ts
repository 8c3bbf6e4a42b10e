// Sparse scoring against a naive map.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SPARSE_ENTRY_HEADER_BYTES } from './layout.ts';
import { Random } from './testing/hard-vectors.ts';
import { BUILDS, byRank, KernelFixture } from './testing/kernel-fixture.ts';

interface Sparse {
  readonly indices: readonly number[];
  readonly values: readonly number[];
}

/** `count` distinct ascending indices below `bound`. */
function sampleSparse(random: Random, count: number, bound: number): Sparse {
  const indices = new Set<number>();
  while (indices.size < count) indices.add(random.integer(bound));
  return {
    indices: [...indices].sort((a, b) => a - b),
    values: Array.from({ length: count }, () => Math.fround(random.normal())),
  };
}

function naiveDot(query: Sparse, entry: Sparse): { readonly sum: number; readonly shared: number } {
  const values = new Map(query.indices.map((index, at) => [index, query.values[at] ?? 0]));
  let [sum, shared] = [0, 0];
  for (const [at, index] of entry.indices.entries()) {
    const value = values.get(index);
    if (value === undefined) continue;
    sum += value * (entry.values[at] ?? 0);
    shared++;
  }
  return { sum, shared };
}

/** Writes indices, then values, at `address`. @returns the address after them */
function write(fixture: KernelFixture, address: number, { indices, values }: Sparse): number {
  fixture.u32.set(indices, address >> 2);
  fixture.f32.set(values, (address >> 2) + indices.length);
  return address + 8 * indices.length;
}

/** Writes a frame's entries. @returns the bytes used */
function writeFrame(fixture: KernelFixture, entries: readonly (readonly [number, Sparse])[]): number {
  let address = fixture.frames;
  for (const [slot, entry] of entries) {
    fixture.u32.set([slot, entry.indices.length], address >> 2);
    address = write(fixture, address + SPARSE_ENTRY_HEADER_BYTES, entry);
  }
  return address - fixture.frames;
}

function prepare(fixture: KernelFixture, query: Sparse): void {
  const [indices, count] = [fixture.rows, query.indices.length];
  write(fixture, indices, query);
  fixture.kernel.prepareSparseQuery(
    { indices, values: indices + 4 * count, count },
    fixture.scratch.sparseQuery,
  );
}

const CASES = [
  { terms: 1, bound: 5 },
  { terms: 2, bound: 2 },
  { terms: 40, bound: 200 },
  { terms: 40, bound: 2 ** 32 },
  { terms: 2048, bound: 4000 },
  { terms: 2048, bound: 2048 },
] as const;

for (const build of BUILDS) {
  const fixture = new KernelFixture(build);

  test(`${build}: scores every matching entry by the naive dot product`, () => {
    const random = new Random(31);
    for (const { terms, bound } of CASES) {
      const query = sampleSparse(random, terms, bound);
      const sizes = Array.from({ length: 15 }, () => random.integer(Math.min(bound, 500)) + 1);
      const entries = sizes.map((size, at) => [at * 3, sampleSparse(random, size, bound)] as const);
      prepare(fixture, query);
      fixture.want((slot) => slot % 2 === 0);
      const bytesUsed = writeFrame(fixture, entries);
      const scan = {
        query: fixture.scratch.sparseQuery,
        frame: fixture.frames,
        bytesUsed,
        bitmap: fixture.bitmap,
      };

      const matching = entries.filter(([slot]) => slot % 2 === 0);
      const naive = matching.map(([slot, entry]) => ({ slot, ...naiveDot(query, entry) }));
      fixture.kernel.resetHeap(fixture.scratch.heap, 100);
      fixture.kernel.scanSparseFrame(scan, fixture.scratch.heap);
      const expected = naive
        .filter(({ shared }) => shared > 0)
        .map(({ slot, sum }) => ({ key: Math.fround(sum), slot }));
      assert.deepEqual(fixture.finish().entries, expected.sort(byRank));

      fixture.f32.fill(77, fixture.sparseScores >> 2, (fixture.sparseScores >> 2) + 200);
      fixture.kernel.storeSparseScores(scan, fixture.sparseScores);
      const stored = new Map(naive.map(({ slot, sum }) => [slot, Math.fround(sum)]));
      for (let slot = 0; slot < 200; slot++) {
        assert.equal(fixture.f32[(fixture.sparseScores >> 2) + slot], stored.get(slot) ?? 77);
      }

      for (const [, entry] of matching) {
        const count = entry.indices.length;
        const indices = fixture.rows + 65536;
        write(fixture, indices, entry);
        const terms = { indices, values: indices + 4 * count, count };
        assert.equal(fixture.kernel.sparseDot(scan.query, terms), naiveDot(query, entry).sum);
      }
    }
  });

  test(`${build}: leaves nothing of a larger query behind in a smaller one`, () => {
    const random = new Random(32);
    const entry = sampleSparse(random, 500, 3000);
    prepare(fixture, sampleSparse(random, 2048, 3000));
    prepare(fixture, { indices: [5, 4_294_967_295], values: [2, 3] });
    write(fixture, fixture.frames, entry);
    const terms = { indices: fixture.frames, values: fixture.frames + 2000, count: 500 };
    const five = entry.indices.indexOf(5);
    const expected = five < 0 ? 0 : 2 * (entry.values[five] ?? 0);
    assert.equal(fixture.kernel.sparseDot(fixture.scratch.sparseQuery, terms), expected);
  });

  test(`${build}: treats the largest index and index 0 like any other`, () => {
    prepare(fixture, { indices: [0, 4_294_967_295], values: [2, 3] });
    write(fixture, fixture.frames, { indices: [0, 1, 4_294_967_295], values: [10, 20, 100] });
    const terms = { indices: fixture.frames, values: fixture.frames + 12, count: 3 };
    assert.equal(fixture.kernel.sparseDot(fixture.scratch.sparseQuery, terms), 320);
  });
}
