// The conformance suite of whole engines: bulk writes and reads of records, exports and imports.
import assert from 'node:assert/strict';
import type { IndexProfile } from '../../domain/index-model.ts';
import { CopyFailed } from '../port/copy-failed.ts';
import type { RecordBatch } from '../port/index-copies.ts';
import { packRecords, unpackRecords } from '../port/packed-records.ts';
import type { VectorStore } from '../port/vector-store.ts';
import { assertSameState } from './compare-with-model.ts';
import { type CheckEngine, RECORDS, SCHEMA } from './engine-fixture.ts';
import { idsOf } from './harness.ts';
import { readable } from './same-records.ts';
import { dense, sparseOnly } from './sample-data.ts';

export function bulk(check: CheckEngine): void {
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

async function* from(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Uint8Array.from(piece);
}
