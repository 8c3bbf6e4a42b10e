// Restarts restore namespaces from their files and replay later writes; a damaged file costs time, never data.
import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { parseFilter } from '../../../domain/filter/parse-filter.ts';
import { until } from '../../../platform/testing/until.ts';
import { sampleQuery } from '../../conformance/sample-data.ts';
import { SEGMENT_FORMAT } from '../segments/saved-segment.ts';
import { readHeader } from '../storage/derived-files/read-header.ts';
import { breakFiles, breakOpenings, systemError } from '../storage/derived-files/testing/faulty-disk.ts';
import { writeSnapshot } from '../storage/derived-files/write-snapshot.ts';
import type { IndexFiles } from '../storage/index-files.ts';
import { seqKey } from '../storage/keys.ts';
import { SEQ } from '../storage/record-store.ts';
import { derivedFixture, ON_DISK, PROFILE, RECORDS } from '../testing/derived-fixture.ts';
import { effort } from '../testing/effort.ts';
import { HardRecords } from '../testing/hard-records.ts';
import { DerivedLedger } from './derived-ledger.ts';
import { EFFECT_BYTES } from './effects.ts';

/** Of the index's upkeep. */
const ROUND_MS = 2_000;

for (const [place, profile] of [
  ['in memory', PROFILE],
  ['on disk', ON_DISK],
] as const) {
  it(`${place}: restores the graph after a restart without building it again`, async (test) => {
    const { prepare, open, check, saved } = derivedFixture(test, { profile });
    assert.deepEqual(await prepare(), ['1.0.segment']);
    const { index, builders } = open();
    await check();
    assert.equal(index.parts.loaded.segments()[0]?.graphIndex.graph?.slots, RECORDS);
    await saved();
    assert.equal(builders.inserted, 0);
  });

  it(`${place}: replays writes later than the file, whether the namespace was in memory or not`, async (test) => {
    const { prepare, open, upsert, remove, check, saved } = derivedFixture(test, { profile });
    await prepare();
    const second = open();
    await upsert(RECORDS - 200, 300);
    await remove(['r1', 'r2', 'r3', `r${RECORDS}`]);
    await check();
    await second.index.close();
    const third = open();
    // Not in memory yet.
    await remove(['r10', 'r11']);
    await upsert(RECORDS + 100, 20);
    await upsert(5, 10);
    await third.index.close();
    const fourth = open();
    await check();
    assert.ok(fourth.builders.inserted < 500, `${fourth.builders.inserted} slots inserted again`);
    await saved();
    await check();
  });

  it(`${place}: restores a namespace of several segments whole, even when only some files are current`, async (test) => {
    const { prepare, open, upsert, check, saved } = derivedFixture(test, {
      profile,
      framesMax: profile === PROFILE ? 24 : 64,
    });
    const files = await prepare(7 * RECORDS);
    assert.ok(files.length > 1, `${files.length} files`);
    const { index, builders } = open();
    await check();
    assert.equal(builders.inserted, 0);
    await upsert(100, 200);
    await check();
    await saved();
    await index.close();
    open();
    await check();
  });
}

type Damage = readonly [name: string, damage: (path: string) => void];

/** One of each way to be wrong; src/engine/embedded/storage/derived-files damages every part of a file. */
const DAMAGES: readonly Damage[] = [
  ['missing', (path) => rmSync(path)],
  ['cut by a byte', (path) => truncateSync(path, readFileSync(path).length - 1)],
  ['another kind of file', (path) => writeFileSync(path, 'not a segment')],
  ['flipped in the middle', (path) => flip(path, 0.5)],
  ['flipped in an id', (path) => flip(path, readFileSync(path).indexOf(`r${RECORDS - 1}`))],
];
const MORE_DAMAGES: readonly Damage[] = [
  ['empty', (path) => truncateSync(path, 0)],
  ['cut in the middle', (path) => truncateSync(path, Math.floor(readFileSync(path).length / 2))],
  ...[0.001, 0.1, 0.3, 0.7, 0.9, 0.999].map(
    (place) => [`flipped at ${place}`, (path: string) => flip(path, place)] as const,
  ),
];

/** `place`: a byte, or below 1 a share of the file. */
function flip(path: string, place: number): void {
  const bytes = readFileSync(path);
  assert.ok(place > 0);
  const at = place < 1 ? Math.floor(bytes.length * place) : place;
  bytes[at] = (bytes[at] ?? 0) ^ 4;
  writeFileSync(path, bytes);
}

for (const [name, damage] of effort({ daily: DAMAGES, long: [...DAMAGES, ...MORE_DAMAGES] })) {
  it(`detects a file that is ${name}, and rebuilds the namespace`, async (test) => {
    const { derived, prepare, open, upsert, check, saved } = derivedFixture(test);
    await prepare();
    damage(join(derived, '1.0.segment'));
    const { index } = open();
    await check();
    await upsert(10, 10);
    await saved();
    await check();
    assert.ok((index.parts.loaded.segments()[0]?.graphIndex.graph?.slots ?? 0) >= RECORDS);
    await index.close();
    const again = open();
    await check();
    assert.equal(again.builders.inserted, 0);
  });
}

it('waits for a file that cannot be opened while too many files are open, and restores it then', async (test) => {
  const { prepare, open, check, saved } = derivedFixture(test);
  await prepare();
  test.after(breakOpenings('EMFILE', 3));
  const { builders } = open();
  await check();
  await saved();
  assert.equal(builders.inserted, 0);
});

it('keeps a file that the disk does not read: it loads the records, and uses the file once it can be read', async (test) => {
  const { derived, prepare, open, check, saved } = derivedFixture(test);
  await prepare();
  const warnings = test.mock.method(process, 'emitWarning', () => undefined).mock;
  const mend = breakOpenings('EIO');
  test.after(mend);
  // Without a graph, it is not worth another file.
  const second = open({ maintenanceLimits: { graphRecordsMin: 1e9, unindexedSlotsMin: 64 } });
  await check();
  assert.equal(second.index.parts.loaded.segments()[0]?.graphIndex.graph, null);
  assert.match(String(warnings.calls[0]?.arguments[0]), /cannot read .*1\.0\.segment.*EIO/);
  await second.index.close();
  mend();
  assert.deepEqual(readdirSync(derived), ['1.0.segment']);
  const third = open();
  await check();
  await saved();
  assert.equal(third.builders.inserted, 0);
});

it('keeps a file whose successor cannot be written while too many files are open', async (test) => {
  const { prepare, open, upsert, check } = derivedFixture(test);
  await prepare();
  const { index } = open();
  await check();
  const warnings = test.mock.method(process, 'emitWarning', () => undefined).mock;
  const act = () => {
    throw systemError('EMFILE');
  };
  const mends = [breakOpenings('EMFILE'), breakFiles({ call: 'open', nth: 1, act })];
  for (const mend of mends) test.after(mend);
  await upsert(RECORDS, 900);
  await until(() => warnings.callCount() > 0, 'the file to fail');
  await index.close();
  for (const mend of mends) mend();
  const again = open();
  await check();
  await again.index.parts.loaded.settled();
  assert.ok(again.builders.inserted < RECORDS, `${again.builders.inserted} slots inserted again`);
});

it('ignores a file of an earlier format, and rebuilds the namespace', async (test) => {
  const { derived, prepare, open, check, saved } = derivedFixture(test);
  await prepare();
  const path = join(derived, '1.0.segment');
  const file = readHeader(path);
  assert.ok(file.usable);
  const header = { ...(file.header as object), format: SEGMENT_FORMAT - 1 };
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  await writeSnapshot(path, { memory, header, parts: [] });
  const { index, builders } = open();
  await check();
  await saved();
  assert.equal(builders.inserted, RECORDS);
  await index.close();
  const again = open();
  await check();
  assert.equal(again.builders.inserted, 0);
});

it('takes the dates and places of texts from the records where a file of an earlier release lacks them', async (test) => {
  const { derived, open, saved } = derivedFixture(test);
  const first = open();
  const records = new HardRecords(PROFILE, 17).records(0, RECORDS).map((record, i) => ({
    ...record,
    metadataJson: JSON.stringify({ at: `2024-01-${10 + (i % 20)}`, place: [`${i % 80},7`, 'x'] }),
  }));
  await first.index.writer.upsert('', records);
  await first.index.reader.query(sampleQuery({ values: records[0]?.values ?? null }));
  await saved();
  const [segment] = first.index.parts.loaded.segments();
  assert.ok(segment !== undefined);
  const path = join(derived, '1.0.segment');
  const file = readHeader(path);
  assert.ok(file.usable);
  const { state, parts } = segment.save();
  const { moments, positions, ...columns } = state.pieces.columns;
  const told = (moments?.blocks ?? 0) + (positions?.blocks ?? 0);
  assert.ok(told > 1);
  const header = {
    ...(file.header as object),
    format: SEGMENT_FORMAT,
    state: { ...state, pieces: { ...state.pieces, columns } },
  };
  const older = parts.map((part) =>
    part.name === 'columns' && 'addresses' in part
      ? { ...part, addresses: Array.from(part.addresses).slice(0, -told) }
      : part,
  );
  await writeSnapshot(path, { memory: segment.context.arena.memory, header, parts: older });
  await first.index.close();
  const { index, builders } = open();
  await index.writer.deleteIds('', ['r0', 'r1']);
  const counted = async (json: object) => index.reader.count('', parseFilter(json));
  assert.equal(await counted({ at: { $datetime: { $lt: '2024-01-11' } } }), RECORDS / 20 - 1);
  assert.equal(
    await counted({ place: { $geo_radius: { lat: 0, lon: 7, meters: 120_000 } } }),
    RECORDS / 40 - 2,
  );
  assert.equal(await counted({ at: '2024-01-11' }), RECORDS / 20 - 1);
  await saved();
  assert.equal(builders.inserted, 0);
});

it('ignores an old file that was put in the place of a newer one', async (test) => {
  const { derived, prepare, open, upsert, remove, check, saved } = derivedFixture(test);
  await prepare();
  const copy = join(derived, '..', 'copy');
  cpSync(derived, copy, { recursive: true });
  const { index } = open();
  await check();
  await remove(Array.from({ length: 700 }, (_, i) => `r${i}`));
  await upsert(RECORDS, 900);
  await saved();
  await index.close();
  cpSync(copy, derived, { recursive: true });
  open();
  await check();
});

it('removes the files of dropped namespaces, and uses none for a new namespace of the same name', async (test) => {
  const { derived, prepare, open, upsert, check, saved } = derivedFixture(test);
  await prepare();
  const { index } = open();
  await index.writer.deleteNamespace('');
  assert.deepEqual(readdirSync(derived), []);
  await upsert(0, RECORDS);
  await check();
  await saved();
  assert.deepEqual(readdirSync(derived), ['2.0.segment']);
});

it('removes orphaned files at the start', async (test) => {
  const { derived, prepare, open } = derivedFixture(test);
  await prepare();
  for (const name of ['7.0.segment', '1.0.segment.part', 'notes.txt'])
    writeFileSync(join(derived, name), 'x');
  open();
  const left = readdirSync(derived);
  assert.ok(
    left.includes('1.0.segment') && !left.includes('7.0.segment') && !left.includes('notes.txt'),
    `${left}`,
  );
});

it('truncates a long change log in several commits', async (test) => {
  const { open, upsert } = derivedFixture(test);
  const { store } = open().index.parts.files;
  // Of writes of two entries each.
  store.env.transactionSync(() => {
    for (let seq = 0; seq < 6_000; seq++)
      for (const part of [0, 1]) store.changes.putSync(seqKey(seq, part), Buffer.alloc(0));
    store.numbers.put(SEQ, 6_000);
  });
  const left: number[] = [];
  for (let i = 0; i < 4; i++) {
    await upsert(i, 1);
    left.push([...store.changes.getKeys()].length);
  }
  assert.deepEqual(left.slice(0, 2), [7_001, 2_002]);
  assert.ok((left[3] ?? 0) <= 2, `${left}`);
});

it('truncates the change log once a file holds everything', async (test) => {
  const { open, upsert, check, saved } = derivedFixture(test);
  const { index } = open();
  for (let i = 0; i < 40; i++) await upsert(i * 50, 50);
  await check();
  await saved();
  await upsert(0, 1);
  await upsert(0, 1);
  const entries = [...index.parts.files.store.changes.getKeys()].length;
  assert.ok(entries <= 4, `${entries} entries`);
});

/** Logs so many writes of other namespaces, as if by earlier processes. */
function logWrites({ store }: IndexFiles, writes: number, effects: number): void {
  store.env.transactionSync(() => {
    const seq = store.numbers.get(SEQ);
    for (let i = 1; i <= writes; i++)
      store.changes.putSync(seqKey(seq + i), Buffer.alloc(effects * EFFECT_BYTES));
    store.numbers.put(SEQ, seq + writes);
  });
}

it('bounds the change log over restarts: saves again, after one change, what keeps a million effects of earlier runs', async (test) => {
  const { prepare, open, upsert, check, saved } = derivedFixture(test);
  await prepare();
  const second = open();
  await upsert(0, 1);
  const { files } = second.index.parts;
  logWrites(files, 110, 10_000);
  await second.index.close();
  const third = open();
  const { store } = third.index.parts.files;
  await check();
  await saved();
  await until(() => [...store.derived.list()][0]?.row.segments[0]?.changedSeq === null, 'another file');
  await upsert(1, 1);
  const entries = [...store.changes.getKeys()].length;
  assert.ok(entries <= 2, `${entries} entries`);
});

it('keeps files while they are loaded, however long the change log is, and writes new ones where it does not', async (test) => {
  test.mock.timers.enable({ apis: ['setInterval'] });
  const { prepare, open, check, saved } = derivedFixture(test);
  await prepare();
  // None is overdue, or it would be saved all the time.
  test.mock.method(DerivedLedger.prototype, 'backlog', () => ({ least: 2e7, most: 0 }));
  const { index, builders } = open();
  const { loaded, checkpointer, files } = index.parts;
  assert.ok(loaded.loads.has(1));
  test.mock.timers.tick(ROUND_MS);
  await check();
  assert.equal(builders.inserted, 0);
  await saved();
  await checkpointer.discard(1);
  assert.deepEqual([...files.store.derived.list()], []);
  test.mock.timers.tick(ROUND_MS);
  await saved();
  assert.equal([...files.store.derived.list()].length, 1);
});

for (const effects of [1, 10, 100, 400, 20_000]) {
  it(`estimates at an opening how much of the change log each namespace keeps, in writes of ${effects}`, async (test) => {
    const { prepare, open } = derivedFixture(test);
    await prepare();
    const { index } = open();
    const { files } = index.parts;
    const writes = Math.ceil(200_000 / effects);
    const at = files.store.numbers.get(SEQ);
    logWrites(files, writes, effects);
    files.store.env.transactionSync(() => {
      for (const [namespaceId, changedSeq] of [
        [1, at + 1],
        [2, at + 1 + writes / 2],
        [3, null],
      ] as const) {
        const segments = [{ tags: ['a'], changedSeq, nextChangedSeq: null }];
        files.store.derived.put(namespaceId, { generation: 'g', segments });
      }
    });
    const ledger = new DerivedLedger(files.store);
    for (const [namespaceId, share] of [
      [1, 1],
      [2, 0.5],
    ] as const) {
      const { least, most } = ledger.backlog(namespaceId);
      const [from, to] = [least, most].map((estimate) => estimate / (share * writes * effects));
      assert.ok(from !== undefined && from > 0.4 && from <= 1, `${from}`);
      assert.ok(to !== undefined && to >= 1 && to < 2, `${to}`);
    }
    assert.deepEqual(ledger.backlog(3), { least: 0, most: 0 });
  });
}
