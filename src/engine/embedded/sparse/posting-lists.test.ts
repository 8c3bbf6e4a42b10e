// Searches of posting lists against a plain list of sparse vectors.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { effort } from '../testing/effort.ts';
import { PostingListReader } from './posting-list-reader.ts';
import { KINDS, naiveSparseScore, naiveTop, type SparseKind, sampleSparse } from './testing/naive-sparse.ts';
import { PostingListFixture } from './testing/posting-list-fixture.ts';

const RECORDS = effort({ daily: 800, long: 1_500 });
const FILTERS: readonly ((slot: number) => boolean)[] = [
  () => true,
  (slot) => slot % 3 !== 0,
  (slot) => slot % 97 === 0,
  () => false,
];

/** Records of all lengths, some without a sparse vector. */
function filled(
  kind: SparseKind,
  random: Random,
  options: { chunkSlots?: number; build?: 'plain' | 'relaxed' },
) {
  const fixture = new PostingListFixture({ slotsMax: 2 * RECORDS, ...options });
  for (let slot = 0; slot < RECORDS; slot++) {
    const isEmpty = random.integer(10) === 0;
    fixture.append(isEmpty ? null : sampleSparse(random, kind, 1 + random.integer(120)));
  }
  return fixture;
}

function checkTop(fixture: PostingListFixture, random: Random, kind: SparseKind): void {
  for (const terms of [1, 40, 300]) {
    const query = sampleSparse(random, kind, terms);
    for (const isMatch of FILTERS) {
      fixture.want(isMatch, RECORDS);
      for (const topK of [1, 10, 400]) {
        const expected = naiveTop({ records: fixture.records, query, isMatch, topK });
        assert.deepEqual(fixture.best(fixture.open(query), topK), expected, `${terms} terms, top ${topK}`);
      }
    }
  }
}

for (const [name, kind] of Object.entries(KINDS)) {
  test(`${name}: finds the exact best, filtered or not`, () => {
    const random = new Random(71);
    for (const chunkSlots of effort({ daily: [200, 4_096], long: [200, 512, 4_096] }))
      checkTop(filled(kind, random, { chunkSlots }), random, kind);
  });

  test(`${name}: bounds scores from above, and computes them exactly`, () => {
    const random = new Random(72);
    const fixture = filled(kind, random, { chunkSlots: 400 });
    fixture.want(() => true, RECORDS);
    for (const terms of [1, 40, 300]) {
      const query = sampleSparse(random, kind, terms);
      const search = fixture.open(query);
      const bounds = fixture.bounds(search);
      for (const [slot, record] of fixture.records.entries()) {
        const score = naiveSparseScore(query, record) ?? 0;
        // Bounds are floats; a search that adds them takes -Infinity for no bound.
        assert.ok((bounds[slot] ?? 0) >= Math.fround(score), `slot ${slot}: ${bounds[slot]} < ${score}`);
        assert.equal(search.score(slot), score);
      }
    }
  });
}

for (const [name, sign] of [
  ['below the lowest float', () => -1],
  ['above the largest float', () => 1],
  ['beyond all floats', (slot: number) => (slot % 2) * 2 - 1],
] as const)
  test(`orders scores ${name}, however far`, () => {
    const fixture = new PostingListFixture({ slotsMax: 900, chunkSlots: 200 });
    for (let slot = 0; slot < 900; slot++) {
      const value = sign(slot) * (1 + (slot % 7) / 8) * 10 ** (30 + (slot % 9));
      fixture.append({ indices: Uint32Array.of(3), values: Float32Array.of(value) });
    }
    for (const factor of [1e12, 3e38]) {
      const query = { indices: Uint32Array.of(3), values: Float32Array.of(factor) };
      for (const isMatch of FILTERS) {
        fixture.want(isMatch, 900);
        for (const topK of [1, 10, 700]) {
          const expected = naiveTop({ records: fixture.records, query, isMatch, topK });
          const found = fixture.best(fixture.open(query), topK);
          assert.deepEqual(found, expected, `${factor}, top ${topK}`);
          assert.ok(found.every(({ key }) => Number.isFinite(key)));
        }
      }
    }
  });

test('finds the same in both builds of the kernel', () => {
  const kind = KINDS['signed values'];
  assert.ok(kind);
  for (const build of ['plain', 'relaxed'] as const) {
    const random = new Random(73);
    checkTop(filled(kind, random, { chunkSlots: 700, build }), random, kind);
  }
});

const LONG_VALUES: Readonly<Record<string, (random: Random) => number>> = {
  signed: (random) => random.normal(),
  positive: (random) => random.uniform(),
  'one far above the others': (random) => random.uniform() * (random.integer(1_000) === 0 ? 1e6 : 1),
};

for (const [name, value] of Object.entries(LONG_VALUES)) {
  test(`searches 2,048 terms exactly, ${name}, among them index 0 and the largest`, () => {
    const random = new Random(74);
    const long = () => {
      const { indices, values } = sampleSparse(random, { bound: 5_000, skew: 1.2, value }, 2_048);
      indices.set([0, 2 ** 32 - 1].filter((index) => !indices.includes(index)));
      return { indices, values };
    };
    const fixture = new PostingListFixture({ slotsMax: 600 });
    for (let slot = 0; slot < 600; slot++) fixture.append(long());
    fixture.want(() => true, 600);
    assert.ok(fixture.reader.chunks.length >= 2, 'chunks closed by their terms');
    for (let run = 0; run < 4; run++) {
      const query = long();
      const expected = naiveTop({ records: fixture.records, query, isMatch: () => true, topK: 10 });
      assert.deepEqual(fixture.best(fixture.open(query), 10), expected);
    }
  });
}

test('bounds plain impacts within two percent of the score', () => {
  const random = new Random(75);
  const kind = KINDS['learned impacts'];
  assert.ok(kind);
  const fixture = filled(kind, random, { chunkSlots: 1_024 });
  fixture.want(() => true, RECORDS);
  const query = sampleSparse(random, kind, 40);
  const bounds = fixture.bounds(fixture.open(query));
  const scores = fixture.records.map((record) => naiveSparseScore(query, record) ?? 0);
  const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);
  assert.ok(sum(bounds) <= 1.02 * sum(scores));
});

test('hides slots that were appended after a snapshot from it', () => {
  const random = new Random(76);
  const kind = KINDS['learned impacts'];
  assert.ok(kind);
  const fixture = filled(kind, random, { chunkSlots: 300 });
  const query = sampleSparse(random, kind, 40);
  for (const slotCount of [0, 1, 299, 300, 301, 450, RECORDS - 1]) {
    fixture.want(() => true, slotCount);
    const records = fixture.records.slice(0, slotCount);
    const expected = naiveTop({ records, query, isMatch: () => true, topK: 20 });
    assert.deepEqual(fixture.best(fixture.open(query, { slotCount }), 20), expected);
    const bounds = fixture.bounds(fixture.open(query, { slotCount }), slotCount + 1);
    assert.equal(bounds[slotCount], 77);
  }
});

test('finds every record as soon as it is appended', () => {
  const fixture = new PostingListFixture({ slotsMax: 500, chunkSlots: 128 });
  for (let slot = 0; slot < 500; slot++) {
    fixture.append({ indices: Uint32Array.of(slot % 7, 100 + slot), values: Float32Array.of(1, 2) });
    fixture.want(() => true, slot + 1);
    const query = { indices: Uint32Array.of(100 + slot), values: Float32Array.of(3) };
    assert.deepEqual(fixture.best(fixture.open(query), 5), [{ key: 6, slot }]);
  }
});

test('shows the same to a reader that joins late, or hears things twice', () => {
  const random = new Random(77);
  const kind = KINDS['learned impacts'];
  assert.ok(kind);
  const fixture = filled(kind, random, { chunkSlots: 200 });
  fixture.want(() => true, RECORDS);
  const structure = structuredClone(fixture.writer.snapshot());
  const late = new PostingListReader({ words: fixture.memory.words, structure });
  late.apply(structure);
  const query = sampleSparse(random, kind, 40);
  const expected = fixture.best(fixture.open(query), 50);
  assert.deepEqual(fixture.best(fixture.open(query, { reader: late }), 50), expected);
});

test('writes frames that are independent of their addresses', () => {
  const random = new Random(78);
  const kind = KINDS['hashed indices'];
  assert.ok(kind);
  const fixture = filled(kind, random, { chunkSlots: 300 });
  fixture.want(() => true, RECORDS);
  const copied = new Map<number, number>();
  const { memory } = fixture;
  const copy = (address: number): number => {
    const at = copied.get(address) ?? memory.frame();
    copied.set(address, at);
    memory.words(at + 65_536).copyWithin(at / 4, address / 4, (address + 65_536) / 4);
    return at;
  };
  const moved = fixture.writer
    .snapshot()
    .map((delta) =>
      delta.kind === 'chunk'
        ? { ...delta, chunk: { ...delta.chunk, frames: delta.chunk.frames.map(copy) } }
        : { ...delta, addresses: delta.kind === 'stream' ? delta.addresses.map(copy) : delta.addresses },
    );
  const query = sampleSparse(random, kind, 40);
  const expected = fixture.best(fixture.open(query), 50);
  for (const address of copied.keys())
    memory.words(address + 65_536).fill(0, address / 4, address / 4 + 16_384);
  const reader = new PostingListReader({ words: memory.words, structure: moved });
  assert.deepEqual(fixture.best(fixture.open(query, { reader }), 50), expected);
});

test('takes less than 20 bytes per posting for a million indices with a posting or two each', () => {
  const random = new Random(79);
  const fixture = new PostingListFixture({ slotsMax: 16_384 });
  const terms = 120;
  const slots = 12_288;
  for (let slot = 0; slot < slots; slot++) {
    const indices = Uint32Array.from({ length: terms }, () => random.integer(2 ** 20) * 4_001);
    fixture.append({ indices: indices.sort(), values: new Float32Array(terms).fill(1) });
  }
  assert.ok(fixture.memory.bytes < 20 * slots * terms, `${fixture.memory.bytes / slots / terms}`);
});
