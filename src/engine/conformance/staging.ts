// The conformance suite of whole engines: staged namespaces, which nobody sees until they are published.
import assert from 'node:assert/strict';
import type { IndexProfile } from '../../domain/index-model.ts';
import { packRecords } from '../port/packed-records.ts';
import type { VectorStore } from '../port/vector-store.ts';
import { type CheckEngine, RECORDS, SCHEMA } from './engine-fixture.ts';
import { assertFault } from './harness.ts';
import { readable } from './same-records.ts';
import { dense } from './sample-data.ts';

export function staging(check: CheckEngine): void {
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

async function namesOf(engine: VectorStore, profile: IndexProfile): Promise<readonly string[]> {
  const { items } = await engine.reader(profile).listNamespaces({ prefix: '', limit: 100, after: null });
  return items.map(({ name }) => name);
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}
