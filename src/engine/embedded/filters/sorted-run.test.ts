// Columns with sorted runs against the same columns without, which are scanned.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Filter } from '../../../domain/filter/grammar.ts';
import type { Metadata, MetadataValue } from '../../port/reader-and-writer.ts';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { ColumnReader } from './column-reader.ts';
import { SCANS_MIN } from './column-sorter.ts';
import { ColumnWriter } from './column-writer.ts';
import { RUN_BYTES, RUN_ENTRIES } from './sorted-run.ts';
import type { ColumnDelta } from './structure.ts';
import { TestMemory } from './testing/test-memory.ts';

const SEED = 2 ** 35 + 3;
const SPECIAL = [0, -0, -1, 1, 5e-324, -5e-324, 1e308, Infinity, -Infinity, true, false, 'x', 'y', ''];

/** Values of a kind, by the slot. */
type Values = (slot: number, random: Random) => MetadataValue | null;

const KINDS: Readonly<Record<string, Values>> = {
  'few strings': (_, random) => `tenant ${random.integer(2_000)}`,
  'numbers in order': (slot, random) => slot * 3 + random.integer(3) - 100_000,
  'any numbers': (_, random) => (random.uniform() - 0.5) * 10 ** (random.integer(40) - 20),
  'one value, and few others': (slot) => (slot % 5_000 === 7 ? slot : 'same'),
  'lists, gaps and all kinds': (slot, random) =>
    slot % 3 === 0
      ? null
      : slot % 5 === 0
        ? Array.from({ length: random.integer(4) }, () => `tag ${random.integer(900)}`)
        : (SPECIAL[random.integer(SPECIAL.length)] ?? 0),
};

interface Columns {
  readonly memory: TestMemory;
  readonly writer: ColumnWriter;
  readonly records: Metadata[];
}

const VALUES = Object.entries(KINDS);

function append({ writer, records }: Columns, count: number): void {
  const random = new Random(records.length + 1);
  for (let left = count; left > 0; left--) {
    const slot = records.length;
    const entries = VALUES.map(([field, valueAt]) => [field, valueAt(slot, random)] as const);
    const record: Metadata = Object.fromEntries(
      entries.filter((entry): entry is [string, MetadataValue] => entry[1] !== null),
    );
    writer.append(slot, record);
    records.push(record);
  }
  writer.publish();
}

function columnsOf(count: number): Columns {
  const memory = new TestMemory();
  const writer = new ColumnWriter({ buffer: memory.buffer, blocks: memory, seed: SEED });
  const columns = { memory, writer, records: [] };
  append(columns, count);
  return columns;
}

function withoutRuns(structure: readonly ColumnDelta[]): readonly ColumnDelta[] {
  return structure.filter(({ kind }) => kind !== 'runs');
}

function readerOf({ memory }: Columns, structure: readonly ColumnDelta[]): ColumnReader {
  return new ColumnReader({ buffer: memory.buffer, seed: SEED, structure });
}

/** Asks a field for values it has not, until it counts as asked for. */
function ask(reader: ColumnReader, field: string, slotCount: number): void {
  const filter: Filter = { kind: 'field', field, test: { op: 'in', values: ['nowhere'] } };
  for (let scan = 0; scan < SCANS_MIN; scan++)
    reader.release(reader.evaluate(filter, { slotCount, filterable: null }));
}

/** Sorts all that is asked for. @returns the number of runs */
function sortAll({ writer }: Columns): number {
  let runs = 0;
  while (writer.sortNext((bytes) => new SharedArrayBuffer(bytes))) runs++;
  return runs;
}

function filterOf(records: readonly Metadata[]): fc.Arbitrary<Filter> {
  const field = fc.constantFrom(...VALUES.map(([name]) => name));
  const slot = fc.nat({ max: records.length - 1 });
  const valueAt = (name: string, at: number) => {
    const value = records[at]?.[name] ?? 'none';
    return typeof value === 'object' ? (value[0] ?? 'none') : value;
  };
  const values = (name: string) =>
    fc.oneof(
      fc.array(slot, { minLength: 1, maxLength: 70 }).map((slots) => slots.map((at) => valueAt(name, at))),
      slot.map((at) => [valueAt(name, at)]),
      fc.array(fc.constantFrom(...SPECIAL), { maxLength: 5 }),
    );
  const bound = (name: string) =>
    fc.oneof(
      slot.map((at) => valueAt(name, at)).map((value) => (typeof value === 'number' ? value : 17)),
      fc.constantFrom(0, -0, 5e-324, Infinity, -Infinity, Number.NaN),
    );
  const relation = fc.constantFrom('gt' as const, 'gte' as const, 'lt' as const, 'lte' as const);
  const one = field.chain((name): fc.Arbitrary<Filter> => {
    const of = (test: fc.Arbitrary<Extract<Filter, { kind: 'field' }>['test']>): fc.Arbitrary<Filter> =>
      test.map((test) => ({ kind: 'field', field: name, test }));
    const comparison = of(fc.record({ op: fc.constant('compare' as const), relation, bound: bound(name) }));
    return fc.oneof(
      of(
        fc.record({
          op: fc.constantFrom('in' as const, 'notIn' as const, 'other' as const),
          values: values(name),
        }),
      ),
      comparison,
      fc.tuple(comparison, comparison).map((parts): Filter => ({ kind: 'all', parts })),
    );
  });
  return fc.oneof(
    { weight: 3, arbitrary: one },
    fc.tuple(one, one).map((parts): Filter => ({ kind: 'all', parts })),
    fc
      .tuple(one, one)
      .map(([first, part]): Filter => ({ kind: 'all', parts: [first, { kind: 'not', part }] })),
  );
}

test('finds in sorted runs what scans find, as columns grow, are sorted and are read by readers that join late', () => {
  const columns = columnsOf(RUN_ENTRIES + 5_000);
  const { writer, records } = columns;
  const follower = readerOf(columns, writer.snapshot());
  writer.takeDeltas();
  const compare = (seed: number): void => {
    // As readers in other threads get them.
    follower.apply(structuredClone(writer.takeDeltas()));
    const scanning = readerOf(columns, withoutRuns(writer.snapshot()));
    const late = readerOf(columns, writer.snapshot());
    const slots = fc.oneof(fc.constant(records.length), fc.nat({ max: records.length }));
    fc.assert(
      fc.property(filterOf(records), slots, (filter, slotCount) => {
        const options = { slotCount, filterable: null };
        const expected = scanning.evaluate(filter, options);
        for (const reader of [follower, late]) {
          const found = reader.evaluate(filter, options);
          assert.deepEqual(found, expected);
          reader.release(found);
        }
        scanning.release(expected);
      }),
      { seed, numRuns: 150 },
    );
  };
  for (const [field] of VALUES) ask(follower, field, records.length);
  // Only some of the records have a value of the last field.
  assert.equal(sortAll(columns), VALUES.length - 1);
  compare(81);
  append(columns, RUN_ENTRIES);
  compare(82);
  for (const [field] of VALUES) ask(follower, field, records.length);
  assert.ok(sortAll(columns) >= VALUES.length);
  compare(83);
});

test('extends what is cached from sorted runs', () => {
  const columns = columnsOf(RUN_ENTRIES - 10);
  const reader = readerOf(columns, []);
  const filter: Filter = { kind: 'field', field: 'few strings', test: { op: 'in', values: ['tenant 7'] } };
  const matches = () => {
    reader.apply(columns.writer.takeDeltas());
    const slotCount = columns.records.length;
    const found = reader.matches(filter, { slotCount, filterable: null }).slice(0, Math.ceil(slotCount / 32));
    const fresh = readerOf(columns, withoutRuns(columns.writer.snapshot()));
    assert.deepEqual(found, fresh.evaluate(filter, { slotCount, filterable: null }));
  };
  matches();
  append(columns, 2_000);
  reader.apply(columns.writer.takeDeltas());
  ask(reader, 'few strings', columns.records.length);
  assert.equal(sortAll(columns), 1);
  matches();
  append(columns, RUN_ENTRIES);
  assert.equal(sortAll(columns), 1);
  matches();
});

test('sorts only full runs of fields in which filters find few records, and nothing without memory', () => {
  const columns = columnsOf(RUN_ENTRIES + 100);
  const { writer, records } = columns;
  const reader = readerOf(columns, writer.snapshot());
  assert.equal(sortAll(columns), 0);
  const wide: Filter = {
    kind: 'field',
    field: 'one value, and few others',
    test: { op: 'in', values: ['same'] },
  };
  for (let scan = 0; scan < 2 * SCANS_MIN; scan++)
    reader.release(reader.evaluate(wide, { slotCount: records.length, filterable: null }));
  assert.equal(sortAll(columns), 0);
  ask(reader, 'few strings', records.length);
  const asked: number[] = [];
  const none = (bytes: number) => {
    asked.push(bytes);
    return null;
  };
  assert.ok(!writer.sortNext(none));
  assert.deepEqual(asked, [RUN_BYTES]);
  assert.equal(sortAll(columns), 1);
  assert.equal(sortAll(columns), 0);
});

test('sorts columns that were restored from a file', () => {
  const columns = columnsOf(RUN_ENTRIES + 100);
  const { memory, records } = columns;
  const { saved, blocks } = columns.writer.save();
  const restored = new ColumnWriter({ buffer: memory.buffer, blocks: memory, seed: SEED });
  const words = () => new Uint32Array(memory.buffer());
  for (const [at, address] of restored.restore(saved).entries()) {
    const from = (blocks[at] ?? 0) / 4;
    words().copyWithin(address / 4, from, from + 1_024);
  }
  restored.publish();
  const reader = readerOf(columns, restored.snapshot());
  ask(reader, 'numbers in order', records.length);
  assert.equal(sortAll({ ...columns, writer: restored }), 1);
  reader.apply(restored.takeDeltas());
  const filter: Filter = {
    kind: 'field',
    field: 'numbers in order',
    test: { op: 'compare', relation: 'lt', bound: -99_000 },
  };
  const options = { slotCount: records.length, filterable: null };
  assert.deepEqual(
    reader.evaluate(filter, options),
    readerOf(columns, columns.writer.snapshot()).evaluate(filter, options),
  );
});

test('rejects runs with a gap', () => {
  const reader = new ColumnReader({ buffer: new TestMemory().buffer, seed: SEED });
  assert.throws(() => reader.apply([{ kind: 'runs', column: 1, first: 1, buffers: [] }]), /missing/);
});
