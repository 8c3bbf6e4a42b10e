// Guarantees of logs: carried out on a copy, or on nothing, they make the index as it was after any write.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { decodeChange, encodedChanges, type LogPart } from '../../../port/write-log.ts';
import { exportInProcess, importInProcess } from '../../in-process-copies.ts';
import { type InProcessIndex, openInProcess } from '../../in-process-index.ts';
import { DIMENSION } from '../../storage/integrity/identity.ts';
import { RECORDS } from '../../storage/integrity/sealed-records.ts';
import { RecordStore } from '../../storage/record-store.ts';
import { effort } from '../../testing/effort.ts';
import {
  HistoryFixture,
  IDS,
  NAMESPACES,
  type NamespaceState,
  PROFILE,
  randomWrites,
} from '../../testing/history-fixture.ts';
import { tempFolder } from '../../testing/temp-folder.ts';
import { LogReader } from './log-reader.ts';

const OPTIONS = { seed: 65, numRuns: effort({ daily: 25, long: 300 }) };
type States = ReadonlyMap<string, NamespaceState>;

async function statesOf({ reader }: InProcessIndex): Promise<States> {
  const states = new Map<string, NamespaceState>();
  for (const name of NAMESPACES) {
    const summary = await reader.describeNamespace(name);
    const records = summary === null ? [] : await reader.fetch(name, IDS);
    states.set(name, summary === null ? null : { records, count: summary.recordCount });
  }
  return states;
}

/** Reads to the present, in parts of `bytesMax`. */
function readAll(reader: LogReader, bytesMax: number): readonly LogPart[] {
  const parts: LogPart[] = [];
  for (;;) {
    const part = reader.next(bytesMax);
    assert.ok(!('gap' in part), 'gap' in part ? part.gap : '');
    parts.push(part);
    if (!part.hasMore) return parts;
  }
}

function openReader(folder: string, after: number): LogReader {
  const reader = LogReader.open(folder, after);
  assert.ok(reader !== null);
  return reader;
}

/** The changes up to a write, as one piece. */
function changesUpTo(parts: readonly LogPart[], lsn: number): Buffer {
  const all = parts.flatMap(({ bytes }) => [...encodedChanges(bytes)]);
  return Buffer.concat(all.filter((change) => change.lsn <= lsn).map(({ bytes }) => bytes));
}

const publication = fc.record({
  kind: fc.constant('publish' as const),
  namespace: fc.constantFrom(...NAMESPACES),
  ids: fc.uniqueArray(fc.constantFrom(...IDS), { maxLength: 5 }),
});
const steps = fc.tuple(
  randomWrites,
  fc.array(fc.tuple(fc.nat({ max: 14 }), publication), { maxLength: 3 }),
  fc.array(fc.nat({ max: 14 }), { maxLength: 4 }),
);

/** Writes, publishes and reads the log in between; the states are those after each write. */
async function run(
  fixture: HistoryFixture,
  [writes, publications, looks]: typeof steps extends fc.Arbitrary<infer Value> ? Value : never,
  bytesMax: number,
) {
  const reader = openReader(fixture.folder, 0);
  const parts: LogPart[] = [];
  const states: { readonly lsn: number; readonly states: States }[] = [];
  const note = async () => states.push({ lsn: fixture.lsn, states: await statesOf(fixture.index) });
  await note();
  for (const [i, write] of writes.entries()) {
    await fixture.write(write);
    await note();
    for (const [at, { namespace, ids }] of publications)
      if (at === i) {
        await fixture.publish(namespace, ids);
        await note();
      }
    // A part only, so that later writes replace what the next part has to tell.
    if (looks.includes(i)) {
      const part = reader.next(bytesMax);
      assert.ok(!('gap' in part));
      parts.push(part);
    }
  }
  parts.push(...readAll(reader, bytesMax));
  await reader.close();
  return { parts, states };
}

async function replayed(test: TestContext, work: (index: InProcessIndex) => Promise<void>): Promise<States> {
  const index = openInProcess(PROFILE, tempFolder(test));
  await work(index);
  const states = await statesOf(index);
  await index.close();
  return states;
}

describe('the log of an index', () => {
  it('makes the index as it was after any write, from nothing', async (test) => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(), fc.constantFrom(1, 300, 2 ** 20), async (work, at, bytesMax) => {
        const fixture = new HistoryFixture(test);
        const { parts, states } = await run(fixture, work, bytesMax);
        assert.equal(parts.at(-1)?.toLsn, fixture.lsn);
        await fixture.close();
        const chosen = states[at % states.length];
        const bytes = changesUpTo(parts, chosen?.lsn ?? 0);
        const made = await replayed(test, (index) => index.writer.bulk.replay({ first: 0, bytes }));
        assert.deepEqual(made, chosen?.states);
      }),
      OPTIONS,
    );
  });

  it('has all records of a branch, whatever either side changes before it is read', async (test) => {
    const fixture = new HistoryFixture(test);
    const { branches } = fixture.index.writer;
    await fixture.upsert('', 0, 600);
    const { lsn: before } = fixture;
    await fixture.write({ kind: 'update', namespace: '', ids: ['r1'] });
    await branches.create({ source: '', name: 'n', asOf: before });
    const { lsn } = fixture;
    const then = await statesOf(fixture.index);
    await fixture.write({ kind: 'upsert', namespace: '', ids: ['r2'] });
    await fixture.write({ kind: 'deleteIds', namespace: 'n', ids: ['r3'] });
    await fixture.write({ kind: 'update', namespace: 'n', ids: ['r4'] });
    await fixture.write({ kind: 'deleteIds', namespace: '', ids: ['r5'] });
    const reader = openReader(fixture.folder, 0);
    const parts = readAll(reader, 300);
    await reader.close();
    const now = await statesOf(fixture.index);
    for (const [to, states] of [
      [lsn, then],
      [fixture.lsn, now],
    ] as const) {
      const bytes = changesUpTo(parts, to);
      const made = await replayed(test, (index) => index.writer.bulk.replay({ first: 0, bytes }));
      assert.deepEqual(made, states, `LSN ${to}`);
    }
    await fixture.close();
  });

  it('tells a gap where a branch was dropped before it was read, also in part, and none where it was whole', async (test) => {
    const fixture = new HistoryFixture(test);
    const { branches } = fixture.index.writer;
    const dropped = () => fixture.write({ kind: 'deleteNamespace', namespace: 'n', ids: [] });
    const create = () => branches.create({ source: '', name: 'n', asOf: null });
    await fixture.upsert('', 0, 600);
    await create();
    const late = openReader(fixture.folder, 1);
    assert.ok(!('gap' in late.next(1)));
    await dropped();
    for (const reader of [late, openReader(fixture.folder, 0)]) {
      const gaps: string[] = [];
      for (let hasMore = true; hasMore; ) {
        const part = reader.next(300);
        hasMore = 'gap' in part ? false : part.hasMore;
        if ('gap' in part) gaps.push(part.gap);
      }
      assert.match(gaps.join(), /a branch was dropped/);
      await reader.close();
    }
    const { lsn } = fixture;
    await create();
    while (!(await branches.makeWhole('n')).isDone);
    const then = await statesOf(fixture.index);
    await dropped();
    const reader = openReader(fixture.folder, lsn);
    const parts = readAll(reader, 300);
    await reader.close();
    const changes = parts.flatMap(({ bytes }) => [...encodedChanges(bytes)]);
    const put = changes
      .map((change) => decodeChange(change, 4))
      .flatMap((change) => {
        return change.kind === 'put' ? change.records : [];
      });
    assert.equal(new Set(put.map(({ id }) => id)).size, then.get('n')?.count);
    await fixture.close();
  });

  it('goes on where a copy of the index ends, and carries out each change once', async (test) => {
    await fc.assert(
      fc.asyncProperty(steps, steps, fc.nat(), fc.nat(), async (first, second, at, cut) => {
        const fixture = new HistoryFixture(test);
        await run(fixture, first, 2 ** 20);
        const open = { profile: PROFILE, folder: fixture.folder, index: fixture.index };
        const copy = exportInProcess(open);
        const pieces: Uint8Array[] = [];
        for await (const piece of copy.bytes) pieces.push(new Uint8Array(piece));
        const reader = openReader(fixture.folder, copy.seq);
        const states: { readonly lsn: number; readonly states: States }[] = [];
        for (const write of second[0]) {
          states.push({ lsn: fixture.lsn, states: await statesOf(fixture.index) });
          await fixture.write(write);
        }
        const parts = readAll(reader, 500);
        await reader.close();
        await fixture.close();
        const chosen = states[at % states.length];
        const bytes = changesUpTo(parts, chosen?.lsn ?? 0);
        const pieceOf = [...encodedChanges(bytes)];
        const some = pieceOf.slice(0, cut % (pieceOf.length + 1)).map((change) => change.bytes);
        const root = tempFolder(test);
        const folder = join(root, PROFILE.id);
        await importInProcess(PROFILE, pieces, { aside: join(root, 'aside'), folder });
        const index = openInProcess(PROFILE, folder);
        await index.writer.bulk.replay({ first: 0, bytes: Buffer.concat(some) });
        await index.writer.bulk.replay({ first: 0, bytes });
        await index.writer.bulk.replay({ first: 0, bytes });
        assert.deepEqual(await statesOf(index), chosen?.states);
        await index.close();
      }),
      OPTIONS,
    );
  });

  it('tells a gap where the history does not reach back, and where the index was put back', async (test) => {
    const fixture = new HistoryFixture(test);
    for (let i = 0; i < 5; i++) await fixture.upsert('', i, 3);
    const early = openReader(fixture.folder, fixture.lsn + 1);
    assert.ok('gap' in early.next(1_000));
    await early.close();
    await fixture.reopen(null);
    await fixture.upsert('', 0, 1);
    const late = openReader(fixture.folder, 2);
    assert.ok('gap' in late.next(1_000));
    await late.close();
    await fixture.close();
  });

  it('has the vectors of an index that it opened before the writer had named its dimension', async (test) => {
    const fixture = new HistoryFixture(test);
    const store = new RecordStore(join(fixture.folder, RECORDS));
    const nameDimension = (dimension: number) =>
      store.env.transactionSync(() => store.numbers.put(DIMENSION, dimension));
    // As the files are between their making and their identity.
    nameDimension(0);
    const reader = openReader(fixture.folder, 0);
    assert.partialDeepStrictEqual(reader.next(1_000), { changes: 0, toLsn: 0, hasMore: false });
    nameDimension(4);
    await fixture.upsert('', 0, 3);
    const changes = readAll(reader, 1_000_000).flatMap(({ bytes }) => [...encodedChanges(bytes)]);
    const puts = changes.map((change) => decodeChange(change, 4)).filter(({ kind }) => kind === 'put');
    assert.equal(puts.length, 1);
    await reader.close();
    await store.close();
    await fixture.close();
  });

  it('keeps the moments of writes, and writes whose parts were read apart together', async (test) => {
    const fixture = new HistoryFixture(test);
    const began = fixture.now;
    await fixture.upsert('', 0, 600);
    await fixture.upsert('', 0, 600);
    const reader = openReader(fixture.folder, 0);
    const parts = readAll(reader, 1);
    await reader.close();
    assert.ok(parts.length > 4);
    const lsns = parts.map(({ toLsn }) => toLsn);
    assert.deepEqual(
      lsns,
      lsns.toSorted((a, b) => a - b),
    );
    for (const [i, { bytes }] of parts.entries())
      for (const change of encodedChanges(bytes)) {
        assert.equal(change.ms, began + 1_000 * change.lsn);
        // A part that does not end the write does not count it.
        assert.ok(change.lsn <= (parts[i]?.toLsn ?? 0) + 1);
        assert.equal(decodeChange(change, 4).lsn, change.lsn);
      }
    assert.equal(lsns[0], 0);
    await fixture.close();
  });
});
