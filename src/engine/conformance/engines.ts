// The conformance suite of whole engines: storage of indexes, sizes, metrics, bulk reads and writes, staged namespaces.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { IndexProfile } from '../../domain/index-model.ts';
import { CopyFailed } from '../port/copy-failed.ts';
import type { RecordBatch } from '../port/index-copies.ts';
import { packRecords, unpackRecords } from '../port/packed-records.ts';
import type { VectorStore } from '../port/vector-store.ts';
import { branching } from './branches.ts';
import { assertSameState } from './compare-with-model.ts';
import type { CheckEngine, EngineFixture } from './engine-fixture.ts';
import { expiring } from './expiring-engines.ts';
import { assertFault, idsOf, listAll, SPARSE } from './harness.ts';
import { readable } from './same-records.ts';
import { dense, sampleProfile, sparseOnly, where } from './sample-data.ts';

/** Makes a new engine without indexes. `close` also removes its storage. */
export type MakeEngine = () => Promise<{ readonly engine: VectorStore; close(): Promise<void> }>;

const SCHEMA = { fields: { year: { filterable: true as const } } };
const RECORDS = Array.from({ length: 25 }, (_, i) => dense(`r${i + 10}`, [i, 1, 2, 3], { n: i }));

/** Declares the suite of engine-level calls under `name`. All tests share one engine. */
export function describeEngine(name: string, makeEngine: MakeEngine): void {
  let made: ReturnType<MakeEngine> | undefined;
  let count = 0;
  const profile = (own: Partial<IndexProfile> = {}): IndexProfile => {
    const id = `index-${++count}`;
    return sampleProfile({ ...own, id, name: id });
  };
  const check: CheckEngine = (title, run) => {
    it(title, async () => {
      made ??= makeEngine();
      const { engine } = await made;
      await run({
        engine,
        one: profile(),
        other: profile(),
        third: profile(),
        sparse: profile(SPARSE),
      });
    });
  };
  describe(`${name} conforms as a whole`, () => {
    after(async () => (await made)?.close());
    for (const group of [storage, bulk, staging, tracking, expiring, branching]) group(check);
  });
}

function storage(check: CheckEngine): void {
  check('declares its capabilities', async ({ engine: { capabilities } }) => {
    const { dimensionMax, writeRecordsMax, writeBytesMax, mergedRecordsMax } = capabilities;
    for (const bound of [dimensionMax, writeRecordsMax, writeBytesMax, mergedRecordsMax])
      assert.ok(Number.isInteger(bound) && bound > 0);
    assert.equal(typeof capabilities.sparseExact, 'boolean');
    assert.equal(typeof capabilities.ranksTexts, 'boolean');
  });
  check('keeps the records of an index that is created again', async ({ engine, one }) => {
    await engine.createIndex(one);
    await engine.writer(one).upsert('', RECORDS);
    await engine.createIndex(one);
    assert.equal((await engine.sizeOf(one)).records, RECORDS.length);
  });
  check('waits for the writes that were sent before, failed ones too', async ({ engine, one, other }) => {
    for (const profile of [one, other]) await engine.createIndex(profile);
    const writer = engine.writer(one);
    const sent = [
      ...Array.from({ length: 20 }, (_, n) => writer.upsert(`n${n}`, RECORDS)),
      writer.createNamespace('made', null),
      writer.deleteNamespace('none'),
      writer.deleteNamespace('n7'),
    ].map((write) => write.then(() => null).catch(() => 'failed'));
    await engine.earlierWrites(other);
    await engine.earlierWrites(one);
    const { items } = await engine.reader(one).listNamespaces({ prefix: '', limit: 100, after: null });
    assert.equal(items.length, 20);
    assert.ok(items.every(({ name }) => name !== 'n7'));
    assert.deepEqual(
      (await Promise.all(sent)).filter((each) => each !== null),
      ['failed'],
    );
    await engine.dropIndex(one.id);
    await engine.earlierWrites(one);
  });
  check('keeps indexes apart', async ({ engine, one, other }) => {
    for (const profile of [one, other]) await engine.createIndex(profile);
    await engine.writer(one).upsert('', RECORDS);
    assert.deepEqual((await listAll(engine.reader(other), '')).items, []);
    assert.equal((await engine.sizeOf(other)).records, 0);
  });
  check('reports the size of an index, and zeros before it has storage', async ({ engine, one }) => {
    assert.deepEqual(await engine.sizeOf(one), { records: 0, bytes: 0 });
    await engine.createIndex(one);
    await engine.writer(one).upsert('n', RECORDS);
    assert.equal((await engine.sizeOf(one)).records, RECORDS.length);
  });
  check('rejects every call on a dropped index with index-not-found', async ({ engine, one }) => {
    await engine.createIndex(one);
    await engine.writer(one).upsert('', RECORDS);
    await engine.dropIndex(one.id);
    await engine.dropIndex(one.id);
    const batch = packRecords(RECORDS, one.dimension);
    for (const call of [
      () => engine.writer(one).upsert('', RECORDS),
      () => engine.reader(one).fetch('', ['r10']),
      () => engine.copies(one).export(),
      () => engine.copies(one).read(),
      () => engine.copies(one).write('', batch),
      () => engine.staging(one).create('job', [{ name: 'n', schema: null }]),
      () => engine.staging(one).list(),
    ])
      await assertFault('index-not-found', call());
    assert.deepEqual(await engine.sizeOf(one), { records: 0, bytes: 0 });
  });
  check(
    'reports metrics of the requested indexes, in their order, without dropped ones',
    async ({ engine, one, other, third }) => {
      for (const profile of [one, other]) await engine.createIndex(profile);
      await engine.writer(other).upsert('', RECORDS);
      const gone = sampleProfile({ id: 'index-gone' });
      await engine.createIndex(gone);
      await engine.dropIndex(third.id);
      const { indexes } = await engine.metrics([other, third, one]);
      assert.deepEqual(
        indexes.map(({ indexId, records }) => [indexId, records]),
        [
          [other.id, RECORDS.length],
          [one.id, 0],
        ],
      );
    },
  );
  check('applies many changes of records in one call', async ({ engine, one }) => {
    await engine.createIndex(one);
    const [reader, writer] = [engine.reader(one), engine.writer(one)];
    await writer.upsert('', RECORDS);
    const change = { sparse: null, setMetadata: { seen: true } };
    const lsn = await writer.updateMany('', [
      { ...change, id: 'r10', values: Float32Array.of(9, 9, 9, 9) },
      { ...change, id: 'r11', values: null },
      { ...change, id: 'none', values: null },
    ]);
    assert.ok((await reader.lsn()) >= lsn);
    assert.deepEqual((await reader.fetch('', ['r10', 'r11', 'none'])).map(readable), [
      readable(dense('r10', [9, 9, 9, 9], { n: 0, seen: true })),
      readable(dense('r11', [1, 1, 2, 3], { n: 1, seen: true })),
    ]);
  });
}

function bulk(check: CheckEngine): void {
  check('writes packed records as an upsert does', async ({ engine, one }) => {
    await engine.createIndex(one);
    const lsn = await engine.copies(one).write('n', packRecords(RECORDS, one.dimension));
    const reader = engine.reader(one);
    assert.ok((await reader.lsn()) >= lsn);
    assert.deepEqual((await reader.fetch('n', idsOf(RECORDS))).map(readable), RECORDS.map(readable));
  });
  check('rejects packed records that are too many or of another dimension', async ({ engine, one }) => {
    await engine.createIndex(one);
    const copies = engine.copies(one);
    const { writeRecordsMax } = engine.capabilities;
    const tooMany = { count: writeRecordsMax + 1, values: null, bodies: new Uint8Array() };
    await assert.rejects(copies.write('', tooMany), RangeError);
    await assert.rejects(copies.write('', packRecords([dense('a', [1, 2])], 2)), RangeError);
    assert.equal((await engine.sizeOf(one)).records, 0);
  });
  check('reads records in order: all, of one namespace, and after a position', async ({ engine, one }) => {
    await engine.createIndex(one);
    const writer = engine.writer(one);
    await writer.upsert('a', RECORDS);
    await writer.upsert('b', RECORDS.slice(0, 3));
    await writer.createNamespace('c', SCHEMA);
    assert.deepEqual(await readAll(engine, one), [
      ...RECORDS.map(({ id }) => `a/${id}`),
      ...['r10', 'r11', 'r12'].map((id) => `b/${id}`),
      'c/',
    ]);
    assert.deepEqual(await readAll(engine, one, { namespace: 'b' }), ['b/r10', 'b/r11', 'b/r12']);
    assert.deepEqual(await readAll(engine, one, { after: { namespace: 'b', id: 'r10' } }), [
      'b/r11',
      'b/r12',
      'c/',
    ]);
    const reading = await engine.copies(one).read({ namespace: 'b' });
    await reading.release();
    await reading.release();
    assert.deepEqual([reading.recordCount, reading.namespaceCount], [3, 1]);
  });
  check('tells with the records that it reads which namespaces stay without', async ({ engine, one }) => {
    await engine.createIndex(one);
    const writer = engine.writer(one);
    await writer.createNamespace('created', null);
    for (const name of ['created', 'upserted']) await writer.upsert(name, RECORDS);
    const reading = await engine.copies(one).read();
    const read = new Map<string, boolean>();
    for await (const { namespace } of reading.batches) read.set(namespace.name, namespace.isExplicit);
    await reading.release();
    assert.deepEqual(Object.fromEntries(read), { created: true, upserted: false });
  });
  check('reads the records of a snapshot, whatever is written later', async ({ engine, one }) => {
    await engine.createIndex(one);
    const writer = engine.writer(one);
    await writer.upsert('', RECORDS);
    const reading = await engine.copies(one).read();
    await writer.deleteIds('', ['r10']);
    await writer.upsert('later', RECORDS);
    const read: string[] = [];
    for await (const batch of reading.batches) read.push(...idsOf(unpackRecords(batch.records)));
    await reading.release();
    assert.deepEqual(read, idsOf(RECORDS));
  });
  check('imports an export, and rejects a damaged one', async ({ engine, one, other, third }) => {
    await engine.createIndex(one);
    await engine.writer(one).upsert('n', RECORDS);
    await engine.writer(one).createNamespace('kept', SCHEMA);
    const copy = await engine.copies(one).export();
    const pieces = await Array.fromAsync(copy.bytes, (piece) => Uint8Array.from(piece));
    const sha256 = await copy.sha256;
    await copy.release();
    const copied = await engine.copies(other).import(from(pieces), { sha256 });
    assert.deepEqual([copied.recordCount, copied.namespaceCount], [RECORDS.length, 2]);
    await assertSameState(engine.reader(other), engine.reader(one));
    await assert.rejects(engine.copies(other).import(from(pieces)), /exists already/);
    const refused = engine.copies(third).import(from(pieces.slice(0, -1)));
    await assert.rejects(refused, (error) => error instanceof CopyFailed && error.reason === 'damaged');
    const wrong = engine.copies(third).import(from(pieces), { sha256: '0'.repeat(64) });
    await assert.rejects(wrong, (error) => error instanceof CopyFailed && error.reason === 'damaged');
    assert.deepEqual(await engine.sizeOf(third), { records: 0, bytes: 0 });
  });
  check('ends an export and a reading whose signal is aborted', async ({ engine, one }) => {
    await engine.createIndex(one);
    const signal = AbortSignal.abort(new Error('given up'));
    await assert.rejects(engine.copies(one).export({ signal }), /given up/);
    await assert.rejects(engine.copies(one).read({ signal }), /given up/);
  });
  check('copies sparse records in bulk', async ({ engine, sparse }) => {
    await engine.createIndex(sparse);
    const record = sparseOnly('a', [[7, 0.5]], { n: 1 });
    await engine.copies(sparse).write('', packRecords([record], null));
    assert.deepEqual(await readAll(engine, sparse), ['/a']);
    assert.deepEqual((await engine.reader(sparse).fetch('', ['a'])).map(readable), [readable(record)]);
  });
}

function staging(check: CheckEngine): void {
  check('hides staged namespaces until they are published, all at once', async ({ engine, one }) => {
    await engine.createIndex(one);
    const staged = engine.staging(one);
    const reader = engine.reader(one);
    await staged.create('job', [{ name: 'empty', schema: SCHEMA }]);
    await staged.write('job', 'full', packRecords(RECORDS, one.dimension));
    assert.deepEqual(await namesOf(engine, one), []);
    assert.equal((await engine.sizeOf(one)).records, 0);
    assert.deepEqual([...(await staged.list())].sort(byName), [
      { owner: 'job', name: 'empty', schema: SCHEMA, recordCount: 0 },
      { owner: 'job', name: 'full', schema: null, recordCount: RECORDS.length },
    ]);
    await staged.publish('job');
    await staged.publish('job');
    assert.deepEqual(await namesOf(engine, one), ['empty', 'full']);
    assert.deepEqual((await reader.describeNamespace('empty'))?.schema, SCHEMA);
    assert.equal((await reader.describeNamespace('full'))?.recordCount, RECORDS.length);
    assert.deepEqual(await staged.list(), []);
  });
  check('publishes as existing without records exactly those that were created', async ({ engine, one }) => {
    await engine.createIndex(one);
    const staged = engine.staging(one);
    await staged.create(
      'job',
      ['empty', 'full', 'there'].map((name) => ({ name, schema: name === 'there' ? SCHEMA : null })),
    );
    const packed = () => packRecords(RECORDS, one.dimension);
    for (const name of ['full', 'there', 'written']) await staged.write('job', name, packed());
    await engine.writer(one).upsert('there', [dense('a', [1, 1, 1, 1])]);
    await staged.publish('job');
    const { items } = await engine.reader(one).listNamespaces({ prefix: '', limit: 9, after: null });
    assert.deepEqual(
      items.map(({ name, isExplicit, schema }) => [name, isExplicit, schema]),
      [
        ['empty', true, null],
        ['full', true, null],
        ['there', false, null],
        ['written', false, null],
      ],
    );
  });
  check('keeps staged namespaces of different owners apart', async ({ engine, one }) => {
    await engine.createIndex(one);
    const staged = engine.staging(one);
    for (const owner of ['first', 'second'])
      await staged.write(owner, owner, packRecords(RECORDS, one.dimension));
    await staged.drop('first');
    await staged.drop('first');
    await staged.publish('second');
    assert.deepEqual(await namesOf(engine, one), ['second']);
    assert.deepEqual(await staged.list(), []);
  });
  check(
    'merges staged records into a namespace created meanwhile, whose records and schema stay',
    async ({ engine, one }) => {
      await engine.createIndex(one);
      const staged = engine.staging(one);
      const writer = engine.writer(one);
      await staged.write('job', 'n', packRecords([dense('a', [1, 1, 1, 1]), dense('b', [2, 2, 2, 2])], 4));
      await writer.createNamespace('n', SCHEMA);
      await writer.upsert('n', [dense('a', [9, 9, 9, 9])]);
      await staged.publish('job');
      const reader = engine.reader(one);
      assert.deepEqual((await reader.fetch('n', ['a', 'b'])).map(readable), [
        readable(dense('a', [9, 9, 9, 9])),
        readable(dense('b', [2, 2, 2, 2])),
      ]);
      assert.deepEqual((await reader.describeNamespace('n'))?.schema, SCHEMA);
    },
  );
  check('publishes nothing when too many records would be merged', async ({ engine, one }) => {
    await engine.createIndex(one);
    const staged = engine.staging(one);
    const { mergedRecordsMax, writeRecordsMax } = engine.capabilities;
    await staged.write('job', 'n', packRecords([dense('a', [1, 1, 1, 1])], 4));
    const many = Array.from({ length: mergedRecordsMax + 1 }, (_, i) => dense(`x${i}`, [i, 1, 1, 1]));
    for (let at = 0; at < many.length; at += writeRecordsMax)
      await engine.copies(one).write('n', packRecords(many.slice(at, at + writeRecordsMax), 4));
    await assertFault('namespace-exists', staged.publish('job'));
    assert.equal((await engine.reader(one).describeNamespace('n'))?.recordCount, many.length);
    assert.equal((await staged.list()).length, 1);
  });
}

function tracking(check: CheckEngine): void {
  const tracks = (title: string, run: (fixture: EngineFixture) => Promise<void>) =>
    check(title, async (fixture) => {
      if (!fixture.engine.capabilities.tracksChanges) return;
      await fixture.engine.createIndex(fixture.one);
      await run(fixture);
    });
  const changedIn = async ({ engine, one }: EngineFixture) => {
    const { changed } = await engine.changed(one).list(1_000);
    return new Set(
      changed.map(({ namespace, id }) => (id === null ? `${namespace}/` : `${namespace}/${id}`)),
    );
  };
  tracks('lists what changes from the moment that tracking begins', async (fixture) => {
    const { engine, one } = fixture;
    const writer = engine.writer(one);
    await writer.upsert('a', RECORDS);
    assert.deepEqual(await engine.changed(one).list(10), { changed: [], total: 0 });
    await engine.changed(one).track();
    await writer.upsert('a', RECORDS.slice(0, 2));
    await writer.update('a', { id: 'r12', values: null, sparse: null, setMetadata: { seen: true } });
    await writer.deleteIds('a', ['r13']);
    await writer.createNamespace('b', SCHEMA);
    await engine.changed(one).track();
    const changed = await changedIn(fixture);
    for (const key of ['a/r10', 'a/r11', 'a/r12', 'a/r13', 'b/']) assert.ok(changed.has(key), key);
    const { total, changed: some } = await engine.changed(one).list(2);
    assert.deepEqual([total, some.length], [changed.size, 2]);
  });
  tracks('covers writes by filter, dropped namespaces and published ones', async (fixture) => {
    const { engine, one } = fixture;
    const writer = engine.writer(one);
    for (const name of ['a', 'b']) await writer.upsert(name, RECORDS);
    await engine.changed(one).track();
    const filter = where('n', { op: 'in', values: [3] });
    await writer.updateByFilter('a', { filter, setMetadata: { seen: true }, recordsMax: 10 });
    const changed = await changedIn(fixture);
    assert.ok(changed.has('a/r13') || changed.has('a/'));
    await writer.deleteNamespace('b');
    const staged = engine.staging(one);
    await staged.write('job', 'c', packRecords(RECORDS, one.dimension));
    assert.ok(![...(await changedIn(fixture))].some((key) => key.startsWith('c/')));
    await staged.publish('job');
    const later = await changedIn(fixture);
    assert.deepEqual([later.has('b/'), later.has('c/')], [true, true]);
  });
  tracks('keeps settled changes that have changed again, and forgets all', async (fixture) => {
    const { engine, one } = fixture;
    const tracked = engine.changed(one);
    await tracked.track();
    const writer = engine.writer(one);
    await writer.upsert('a', RECORDS.slice(0, 2));
    const { changed } = await tracked.list(10);
    await writer.upsert('a', RECORDS.slice(1, 2));
    await tracked.settle(changed);
    assert.deepEqual([...(await changedIn(fixture))], ['a/r11']);
    await tracked.forget();
    await tracked.forget();
    await writer.upsert('a', RECORDS);
    assert.equal((await tracked.list(10)).total, 0);
    await engine.changed(fixture.other).forget();
  });
}

async function readAll(
  engine: VectorStore,
  profile: IndexProfile,
  options: Parameters<ReturnType<VectorStore['copies']>['read']>[0] = {},
): Promise<readonly string[]> {
  const reading = await engine.copies(profile).read(options);
  const names = (batch: RecordBatch): readonly string[] => {
    const ids = idsOf(unpackRecords(batch.records));
    return ids.length === 0 ? [`${batch.namespace.name}/`] : ids.map((id) => `${batch.namespace.name}/${id}`);
  };
  const read = await Array.fromAsync(reading.batches, names);
  await reading.release();
  return read.flat();
}

async function namesOf(engine: VectorStore, profile: IndexProfile): Promise<readonly string[]> {
  const { items } = await engine.reader(profile).listNamespaces({ prefix: '', limit: 100, after: null });
  return items.map(({ name }) => name);
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

async function* from(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Uint8Array.from(piece);
}
