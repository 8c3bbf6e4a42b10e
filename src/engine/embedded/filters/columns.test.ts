// Columns against the reference evaluator, whatever was appended, and however late readers learn of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ANTIMERIDIAN, POLE } from '../../../domain/filter/geo.ts';
import type { FieldTest, Filter } from '../../../domain/filter/grammar.ts';
import { matches } from '../../../domain/filter/matches.ts';
import { momentsOf } from '../../../domain/filter/moment.ts';
import { parseFilter } from '../../../domain/filter/parse-filter.ts';
import type { Metadata } from '../../port/reader-and-writer.ts';
import { ColumnReader, type EvaluateOptions } from './column-reader.ts';
import { ColumnWriter, OWN_COLUMN_RECORDS_MIN } from './column-writer.ts';
import { BLOCK_BYTES, COLUMNS_LIMIT, OWN_LAYOUT } from './layout.ts';
import { TestMemory } from './testing/test-memory.ts';

const SEED = 2 ** 40 + 12_345;
const FIELDS = ['genre', 'year', '', '__proto__', 'constructor', 'a.b', 'été', '\ud800', 'f8', 'f9'];

const field = fc.constantFrom(...FIELDS);
const date = fc.constantFrom(
  '2024-01-01',
  '2024-01-01T01:00+01:00',
  '0000-01-01',
  '9999-12-31T23:59:59.999999Z',
);
const place = fc.constantFrom('0,0', '90,13', '-90,-77.5', '52.5,180', '52.5,-180', '-12.3456789,-123.4');
const text = fc.oneof(
  fc.constantFrom('', '0', '1', 'true', 'a', 'b', 'é', 'e\u0301', '\ud800', 'x'.repeat(100)),
  date,
  place,
);
const number = fc.constantFrom(0, -0, 1, -1, 1.5, 5e-324, 2 ** 53, 1e308, Infinity, -Infinity, Number.NaN);
const scalar = fc.oneof(text, number, fc.boolean());
const metadata: fc.Arbitrary<Metadata> = fc
  .array(fc.tuple(field, fc.oneof(scalar, fc.array(text, { maxLength: 3 }))), { maxLength: 6 })
  .map((entries) => Object.fromEntries(entries));
const fieldTest: fc.Arbitrary<FieldTest> = fc.oneof(
  fc.record({ op: fc.constant('in' as const), values: fc.array(scalar, { maxLength: 4 }) }),
  fc.record({ op: fc.constant('notIn' as const), values: fc.array(scalar, { maxLength: 4 }) }),
  fc.record({ op: fc.constant('other' as const), values: fc.array(scalar, { maxLength: 4 }) }),
  fc.record({ op: fc.constant('exists' as const), present: fc.boolean() }),
  fc.record({
    op: fc.constant('compare' as const),
    relation: fc.constantFrom('gt' as const, 'gte' as const, 'lt' as const, 'lte' as const),
    bound: number,
  }),
  fc.tuple(date, date).map(([first, second]): FieldTest => {
    const [from = 0, to = 0] = [...momentsOf(first), ...momentsOf(second)].sort((a, b) => a - b);
    return { op: 'moment', from, to };
  }),
  fc.record({
    op: fc.constant('within' as const),
    area: fc.oneof(
      fc.record({
        kind: fc.constant('circle' as const),
        latitude: fc.integer({ min: -POLE, max: POLE }),
        longitude: fc.integer({ min: -ANTIMERIDIAN, max: ANTIMERIDIAN }),
        meters: fc.double({ min: 0, max: 2e7, noNaN: true }),
      }),
      fc.record({
        kind: fc.constant('box' as const),
        south: fc.integer({ min: -POLE, max: 0 }),
        north: fc.integer({ min: 0, max: POLE }),
        west: fc.integer({ min: -ANTIMERIDIAN, max: ANTIMERIDIAN }),
        east: fc.integer({ min: -ANTIMERIDIAN, max: ANTIMERIDIAN }),
      }),
    ),
  }),
);
const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.record({ kind: fc.constant('field' as const), field, test: fieldTest }),
    fc.record({ kind: fc.constant('not' as const), part: tie('filter') }),
    fc.record({ kind: fc.constant('all' as const), parts: fc.array(tie('filter'), { maxLength: 3 }) }),
    fc.record({ kind: fc.constant('any' as const), parts: fc.array(tie('filter'), { maxLength: 3 }) }),
  ),
}));
const filterable = fc.option(fc.uniqueArray(field, { minLength: 3 }));

function slotsIn(bitmap: Uint32Array): number[] {
  const slots: number[] = [];
  for (const [at, word] of bitmap.entries()) {
    for (let bit = 0; bit < 32; bit++) if ((word >>> bit) & 1) slots.push(at * 32 + bit);
  }
  return slots;
}

function expected(records: readonly Metadata[], filter: Filter, options: EvaluateOptions): number[] {
  const isFilterable = (name: string): boolean => options.filterable?.includes(name) ?? true;
  return Array.from({ length: options.slotCount }, (_, slot) => slot).filter((slot) =>
    matches(filter, records[slot] ?? {}, { isFilterable }),
  );
}

function assertAgrees(
  reader: ColumnReader,
  records: readonly Metadata[],
  { filter, ...options }: EvaluateOptions & { readonly filter: Filter },
): void {
  const bitmap = reader.evaluate(filter, options);
  assert.equal(bitmap.length, Math.ceil(options.slotCount / 32));
  assert.deepEqual(slotsIn(bitmap), expected(records, filter, options));
  reader.release(bitmap);
}

test('agrees with the reference with late deltas, skipped slots, schemas and few columns', () => {
  const round = fc.record({
    records: fc.array(fc.option(metadata), { maxLength: 30 }),
    arrives: fc.boolean(),
    filter,
  });
  const setting = fc.record({ columnsMax: fc.nat(5), ownColumnRecordsMin: fc.nat(3), filterable });
  fc.assert(
    fc.property(
      fc.array(round, { minLength: 1, maxLength: 5 }),
      setting,
      (rounds, { filterable, ...bounds }) => {
        const memory = new TestMemory();
        const options = { buffer: memory.buffer, seed: SEED };
        const writer = new ColumnWriter({ ...options, blocks: memory, ...bounds });
        const reader = new ColumnReader(options);
        const records: Metadata[] = [];
        let known = 0;
        let late: ReturnType<ColumnWriter['takeDeltas']> = [];
        for (const { records: added, arrives, filter } of rounds) {
          for (const record of added) {
            if (record !== null) writer.append(records.length, record);
            records.push(record ?? {});
          }
          late = [...late, ...writer.takeDeltas()];
          writer.publish();
          if (arrives) {
            reader.apply(late);
            late = [];
            known = records.length;
          }
          assertAgrees(reader, records, { filter, slotCount: known, filterable });
          const joined = new ColumnReader({ ...options, structure: writer.snapshot() });
          joined.apply(late);
          assertAgrees(joined, records, { filter, slotCount: records.length, filterable });
        }
      },
    ),
    { seed: 71, numRuns: 400 },
  );
});

/** A few thousand records over many blocks, with columns that are dense, sparse, or of lists. */
function library(count: number): { reader: ColumnReader; records: Metadata[]; memory: TestMemory } {
  const memory = new TestMemory();
  const writer = new ColumnWriter({ buffer: memory.buffer, blocks: memory, seed: SEED });
  const records: Metadata[] = [];
  for (let slot = 0; slot < count; slot++) {
    const mixed = Math.imul(slot, 0x9e3779b1) >>> 0;
    const record: Record<string, Metadata[string]> & { rare?: boolean } = {
      id: slot,
      genre: `genre-${mixed % 7}`,
      price: mixed / 1e6,
      tags: Array.from({ length: mixed % 4 }, (_, at) => `tag-${(mixed >>> (at + 3)) % 9}`),
    };
    if (mixed % 5 === 0) record.rare = mixed % 2 === 0;
    records.push(record);
    writer.append(slot, record);
  }
  writer.publish();
  const reader = new ColumnReader({ buffer: memory.buffer, seed: SEED, structure: writer.snapshot() });
  return { reader, records, memory };
}

const { reader: libraryReader, records: libraryRecords } = library(3_000);
const LIBRARY_FILTERS: readonly object[] = [
  { genre: 'genre-3' },
  { genre: { $ne: 'genre-3' } },
  { id: { $gt: 340, $lte: 1_024 } },
  { price: { $lt: 2_000 } },
  { tags: 'tag-4' },
  { $and: [{ tags: 'tag-4' }, { tags: 'tag-2' }] },
  { tags: { $nin: ['tag-1', 'tag-2', 'tag-3'] } },
  { tags: { $exists: true } },
  { rare: true },
  { rare: { $exists: false } },
  { rare: { $ne: true } },
  { id: { $in: Array.from({ length: 500 }, (_, at) => at * 3) } },
  { id: { $nin: Array.from({ length: 500 }, (_, at) => at * 3) } },
  { $or: [{ genre: 'genre-1' }, { $not: { price: { $gte: 500 } } }] },
  { $and: [{ tags: { $nin: ['tag-1'] } }, { price: { $lt: 3_000 } }, { id: { $in: [5, 700, 701, 2_900] } }] },
  { $and: [{ id: { $in: [340, 341, 1_500] } }, { $or: [{ rare: { $ne: true } }, { tags: 'tag-2' }] }] },
  { $and: [{ id: { $gte: 900, $lt: 910 } }, { $not: { $and: [{ genre: 'genre-2' }, { rare: true }] } }] },
  {
    $and: [{ id: { $gt: 2_990 } }, { rare: { $exists: false } }, { genre: { $in: ['genre-1', 'genre-5'] } }],
  },
];

test('agrees with the reference over many blocks, at any number of slots', () => {
  for (const json of LIBRARY_FILTERS) {
    const filter = parseFilter(json);
    for (const slotCount of [0, 1, 31, 32, 33, 341, 342, 1_000, 2_999, 3_000, 3_100]) {
      assertAgrees(libraryReader, libraryRecords, { filter, slotCount, filterable: null });
    }
  }
});

test('agrees with the reference on membership among 10,000 values', () => {
  const numbers = Array.from({ length: 10_000 }, (_, at) => at * 2);
  const texts = numbers.map((at) => `tag-${at}`);
  for (const json of [{ id: { $in: numbers } }, { tags: { $in: texts } }, { tags: { $nin: texts } }]) {
    const filter = parseFilter(json);
    assertAgrees(libraryReader, libraryRecords, { filter, slotCount: 1_000, filterable: null });
  }
});

test('selects the same slots when a filter is negated twice', () => {
  const select = (filter: Filter): number[] =>
    slotsIn(libraryReader.evaluate(filter, { slotCount: 3_000, filterable: null }));
  for (const part of LIBRARY_FILTERS.map(parseFilter)) {
    assert.deepEqual(select({ kind: 'not', part: { kind: 'not', part } }), select(part));
  }
});

test("satisfies De Morgan's laws", () => {
  const { reader } = sampleReader();
  const select = (filter: Filter): number[] =>
    slotsIn(reader.evaluate(filter, { slotCount: 77, filterable: null }));
  const not = (part: Filter): Filter => ({ kind: 'not', part });
  fc.assert(
    fc.property(fc.array(filter, { maxLength: 3 }), (parts) => {
      assert.deepEqual(select(not({ kind: 'all', parts })), select({ kind: 'any', parts: parts.map(not) }));
      assert.deepEqual(select(not({ kind: 'any', parts })), select({ kind: 'all', parts: parts.map(not) }));
    }),
    { seed: 72, numRuns: 200 },
  );
});

function sampleReader(): { reader: ColumnReader } {
  const memory = new TestMemory();
  const writer = new ColumnWriter({
    buffer: memory.buffer,
    blocks: memory,
    seed: SEED,
    ownColumnRecordsMin: 1,
  });
  for (const [slot, record] of fc.sample(metadata, { seed: 73, numRuns: 77 }).entries())
    writer.append(slot, record);
  writer.publish();
  return { reader: new ColumnReader({ buffer: memory.buffer, seed: SEED, structure: writer.snapshot() }) };
}

test('shows nothing before it is published', () => {
  const memory = new TestMemory();
  const writer = new ColumnWriter({ buffer: memory.buffer, blocks: memory, seed: SEED });
  const reader = new ColumnReader({ buffer: memory.buffer, seed: SEED });
  const select = (): number[] =>
    slotsIn(reader.evaluate(parseFilter({ f: 1 }), { slotCount: 10, filterable: null }));
  writer.append(4, { f: 1 });
  reader.apply(writer.takeDeltas());
  assert.deepEqual(select(), []);
  writer.publish();
  assert.deepEqual(select(), [4]);
});

test('keeps a reader out of blocks that it has not heard of', () => {
  const memory = new TestMemory();
  const writer = new ColumnWriter({ buffer: memory.buffer, blocks: memory, seed: SEED });
  const reader = new ColumnReader({ buffer: memory.buffer, seed: SEED });
  const known = OWN_COLUMN_RECORDS_MIN + OWN_LAYOUT.entries;
  const append = (from: number, to: number): void => {
    for (let slot = from; slot < to; slot++) writer.append(slot, { f: slot + 1 });
    writer.publish();
  };
  append(0, known);
  reader.apply(writer.takeDeltas());
  append(known, known * 3);
  const select = (json: object): number[] =>
    slotsIn(reader.evaluate(parseFilter(json), { slotCount: known, filterable: null }));
  assert.deepEqual(select({ f: 0 }), []);
  assert.deepEqual(select({ f: known }), [known - 1]);
});

test('takes no memory for fields outside the list given to the writer', () => {
  const memory = new TestMemory();
  const writer = new ColumnWriter({ buffer: memory.buffer, blocks: memory, seed: SEED, filterable: ['f'] });
  writer.append(0, { g: 1, h: ['a'] });
  assert.equal(memory.bytes, 0);
  assert.deepEqual(writer.snapshot(), []);
});

test('takes memory for invented field names in proportion to the data, and finds their records', () => {
  const memory = new TestMemory();
  const writer = new ColumnWriter({ buffer: memory.buffer, blocks: memory, seed: SEED });
  const entries = 100_000;
  for (let slot = 0; slot < entries / 10; slot++) {
    const names = Array.from({ length: 10 }, (_, at) => [`name-${slot}-${at}`, slot]);
    writer.append(slot, Object.fromEntries(names));
  }
  writer.publish();
  // 16 bytes per entry while rare. Names that share a counter may open columns, of which there are at most 1,000.
  assert.ok(memory.bytes <= entries * 16 + 1_000 * BLOCK_BYTES + 2 * BLOCK_BYTES, `${memory.bytes} bytes`);
  const reader = new ColumnReader({ buffer: memory.buffer, seed: SEED, structure: writer.snapshot() });
  const options = { slotCount: entries / 10, filterable: null };
  for (const slot of [0, 777, 9_999]) {
    const filter = parseFilter({ [`name-${slot}-5`]: { $gte: slot } });
    assert.deepEqual(slotsIn(reader.evaluate(filter, options)), [slot]);
  }
});

test('takes what texts tell from the records where a file lacks it', () => {
  const records: readonly Metadata[] = Array.from({ length: 700 }, (_, slot) => ({
    seen: slot % 2 === 0 ? `2024-01-${String(1 + (slot % 28)).padStart(2, '0')}` : 'never',
    at: slot % 3 === 0 ? [`${slot % 90},${slot % 180}`, 'x'] : 7,
  }));
  const memory = new TestMemory();
  const options = { buffer: memory.buffer, blocks: memory, seed: SEED };
  const writer = new ColumnWriter(options);
  for (const [slot, record] of records.slice(0, 600).entries()) writer.append(slot, record);
  const { moments: _moments, positions: _positions, ...saved } = writer.save().saved;
  const restored = new ColumnWriter(options);
  const oldBlocks = restored.restore(saved);
  for (const [at, address] of oldBlocks.entries()) {
    const from = writer.save().blocks[at] ?? 0;
    new Uint8Array(memory.buffer()).copyWithin(address, from, from + BLOCK_BYTES);
  }
  assert.equal(restored.lacksTold, true);
  for (const [slot, record] of records.slice(0, 600).entries()) restored.fillTold(slot, record);
  restored.endTold();
  assert.equal(restored.lacksTold, false);
  for (const [slot, record] of records.slice(600).entries()) restored.append(600 + slot, record);
  restored.publish();
  const reader = restored.reader();
  for (const json of [
    { seen: { $datetime: { $gte: '2024-01-05', $lt: '2024-01-09' } } },
    { at: { $geo_radius: { lat: 10, lon: 10, meters: 1_000_000 } } },
    { at: 7 },
  ]) {
    const filter = parseFilter(json);
    assertAgrees(reader, records, { filter, slotCount: records.length, filterable: null });
  }
});

test('reuses a released bitmap', () => {
  const filter = parseFilter({ $and: [{ genre: 'genre-1' }, { $or: [{ rare: true }, { tags: 'tag-4' }] }] });
  const evaluate = (): Uint32Array => libraryReader.evaluate(filter, { slotCount: 3_000, filterable: null });
  const buffers = new Set<ArrayBufferLike>();
  for (let run = 0; run < 50; run++) {
    const bitmap = evaluate();
    buffers.add(bitmap.buffer);
    libraryReader.release(bitmap);
  }
  assert.ok(buffers.size <= 3, `${buffers.size} buffers`);
});

test('rejects misuse: slots that do not ascend, too many columns, deltas with a gap', () => {
  const memory = new TestMemory();
  const options = { buffer: memory.buffer, blocks: memory, seed: SEED };
  const writer = new ColumnWriter(options);
  writer.append(3, { f: 1 });
  assert.throws(() => writer.append(3, null), RangeError);
  assert.throws(() => new ColumnWriter({ ...options, columnsMax: COLUMNS_LIMIT }), RangeError);
  const reader = new ColumnReader(options);
  assert.throws(() => reader.apply([{ kind: 'blocks', column: 0, first: 1, addresses: [0] }]), /missing/);
});
