// Conformance: deletion, namespaces, and the fields that filters can use.
import assert from 'node:assert/strict';
import type { MetadataSchema } from '../../domain/index-model.ts';
import { assertFault, type Check, DRAMA, idsOf, listAll } from './harness.ts';
import { dense, EVERYTHING, where } from './sample-data.ts';

const ONLY_YEAR: MetadataSchema = { fields: { year: { filterable: true } } };
const IN_2020 = where('year', { op: 'in', values: [2020] });
const ALL = { prefix: '', limit: 100, after: null };

export function deletions(check: Check): void {
  const records = ['a', 'b', 'c'].map((id) =>
    dense(id, [1, 0, 0, 0], { genre: id === 'b' ? 'drama' : 'noir' }),
  );
  check('deletes by id, and ignores unknown ids', {}, async ({ reader, writer }) => {
    await writer.upsert('n', records);
    await writer.deleteIds('n', ['a', 'zz']);
    assert.deepEqual((await listAll(reader, 'n')).items, ['b', 'c']);
  });
  check('removes an emptied namespace that an upsert created', {}, async ({ reader, writer }) => {
    await writer.upsert('', records);
    for (const empty of [
      () => writer.deleteIds('n', ['b', 'c', 'a']),
      () => writer.deleteByFilter('n', EVERYTHING),
    ]) {
      await writer.upsert('n', records);
      await empty();
      assert.equal(await reader.describeNamespace('n'), null);
      assert.deepEqual(names((await reader.listNamespaces(ALL)).items), ['']);
      await assertFault('namespace-not-found', writer.deleteIds('n', ['a']));
    }
    await writer.upsert('n', [dense('z', [1, 0, 0, 0])]);
    assert.deepEqual((await listAll(reader, 'n')).items, ['z']);
  });
  check('keeps an emptied namespace that was created by name', {}, async ({ reader, writer }) => {
    for (const name of ['plain', 'schema']) {
      await writer.createNamespace(name, name === 'schema' ? ONLY_YEAR : null);
      await writer.upsert(name, records);
      await writer.deleteIds(name, ['a', 'b', 'c']);
      await writer.upsert(name, records);
      await writer.deleteByFilter(name, EVERYTHING);
      assert.equal((await reader.describeNamespace(name))?.recordCount, 0);
    }
    assert.deepEqual(names((await reader.listNamespaces(ALL)).items), ['plain', 'schema']);
  });
  check('deletes the records that match a filter', {}, async ({ reader, writer }) => {
    await writer.upsert('n', records);
    await writer.deleteByFilter('n', DRAMA);
    assert.deepEqual((await listAll(reader, 'n')).items, ['a', 'c']);
    assert.equal(await reader.count('n', EVERYTHING), 2);
  });
  check('deletes a namespace with its records', {}, async ({ reader, writer }) => {
    await writer.upsert('n', records);
    await writer.upsert('', records);
    const lsn = await writer.deleteNamespace('n');
    assert.ok((await reader.lsn()) >= lsn);
    assert.equal(await reader.describeNamespace('n'), null);
    assert.deepEqual(await reader.fetch('n', ['a']), []);
    await writer.upsert('n', [dense('z', [1, 0, 0, 0])]);
    assert.deepEqual((await listAll(reader, 'n')).items, ['z'], 'a recreated namespace starts empty');
    assert.equal((await reader.describeNamespace(''))?.recordCount, 3);
  });
  check('rejects deletes in a missing namespace', {}, async ({ writer }) => {
    await assertFault('namespace-not-found', writer.deleteIds('n', ['a']));
    await assertFault('namespace-not-found', writer.deleteByFilter('', DRAMA));
    await assertFault('namespace-not-found', writer.deleteNamespace('n'));
  });
}

export function namespaces(check: Check): void {
  check('creates an empty namespace once', {}, async ({ reader, writer }) => {
    const created = await writer.createNamespace('n', ONLY_YEAR);
    const { number, ...rest } = created;
    assert.deepEqual(rest, {
      ...{ name: 'n', recordCount: 0, sizeBytes: 0 },
      ...{ schema: ONLY_YEAR, isExplicit: true },
    });
    assert.deepEqual(await reader.describeNamespace('n'), created);
    await assertFault('namespace-exists', writer.createNamespace('n', null));
    await writer.deleteNamespace('n');
    const again = await writer.createNamespace('n', null);
    assert.notEqual(again.number, number, 'which tells that it is another one');
  });
  check('tells which namespaces stay without records', {}, async ({ reader, writer }) => {
    await writer.createNamespace('created', null);
    for (const name of ['created', 'upserted']) await writer.upsert(name, [dense('a', [1, 0, 0, 0])]);
    const { items } = await reader.listNamespaces(ALL);
    assert.deepEqual(
      items.map(({ name, isExplicit }) => [name, isExplicit]),
      [
        ['created', true],
        ['upserted', false],
      ],
    );
    for (const item of items) assert.deepEqual(await reader.describeNamespace(item.name), item);
  });
  check('updates the counts of records and bytes with each write', {}, async ({ reader, writer }) => {
    await writer.upsert('n', [dense('a', [1, 0, 0, 0]), dense('b', [1, 0, 0, 0])]);
    const two = await reader.describeNamespace('n');
    await writer.deleteIds('n', ['a']);
    const one = await reader.describeNamespace('n');
    assert.deepEqual([two?.recordCount, one?.recordCount], [2, 1]);
    assert.deepEqual((await reader.recordCounts()).flat(), [{ name: 'n', recordCount: 1 }]);
    await writer.upsert('n', [dense('c', [1, 0, 0, 0])]);
    assert.deepEqual(
      (await reader.recordCounts()).flat(),
      [{ name: 'n', recordCount: 2 }],
      'after the next write',
    );
    assert.ok((two?.sizeBytes ?? 0) > (one?.sizeBytes ?? 0) && (one?.sizeBytes ?? 0) > 0);
  });
  check('lists namespaces in bytewise order, by prefix, with their total', {}, async ({ reader, writer }) => {
    for (const name of ['b', 'a/2', '', 'Z', 'a/1']) await writer.upsert(name, [dense('x', [1, 0, 0, 0])]);
    const all = await reader.listNamespaces(ALL);
    assert.deepEqual([names(all.items), all.total, all.next], [['', 'Z', 'a/1', 'a/2', 'b'], 5, null]);
    const first = await reader.listNamespaces({ prefix: 'a', limit: 1, after: null });
    assert.deepEqual([names(first.items), first.total], [['a/1'], 2]);
    const second = await reader.listNamespaces({ prefix: 'a', limit: 1, after: first.next });
    assert.deepEqual([names(second.items), second.total, second.next], [['a/2'], 2, null]);
    const named = await reader.listNamespaces({ ...ALL, after: '' });
    assert.deepEqual(names(named.items), ['Z', 'a/1', 'a/2', 'b'], 'after the default namespace');
    const counts = (await reader.recordCounts()).flat();
    assert.deepEqual(
      counts.map(({ name, recordCount }) => [name, recordCount]),
      ['', 'Z', 'a/1', 'a/2', 'b'].map((name) => [name, 1]),
    );
  });
}

export function schemas(check: Check): void {
  const record = dense('a', [1, 0, 0, 0], { genre: 'drama', year: 2020 });
  check('filters by every field when there is no schema', {}, async ({ reader, writer }) => {
    await writer.upsert('n', [record]);
    assert.deepEqual([await reader.count('n', DRAMA), await reader.count('n', IN_2020)], [1, 1]);
    assert.deepEqual(await reader.indexedFields('n'), ['genre', 'year']);
  });
  check('lists the fields that records have, and none that only earlier ones had', {}, async (index) => {
    const { reader, writer } = index;
    await writer.createNamespace('n', null);
    const fields = () => reader.indexedFields('n');
    const vector = [1, 0, 0, 0];
    await writer.upsert('n', [dense('a', vector, { x: 1, y: 1 }), dense('b', vector, { y: 2, z: 2 })]);
    assert.deepEqual(await fields(), ['x', 'y', 'z']);
    await writer.deleteIds('n', ['a']);
    assert.deepEqual(await fields(), ['y', 'z']);
    await writer.upsert('n', [dense('a', vector, { z: 1 }), dense('b', vector, { z: 3, w: 1 })]);
    assert.deepEqual(await fields(), ['w', 'z']);
    await writer.upsert('n', [dense('b', vector, { z: 4 })]);
    assert.deepEqual(await fields(), ['z']);
    await writer.deleteByFilter('n', EVERYTHING);
    assert.deepEqual(await fields(), []);
    await writer.upsert('n', [dense('b', vector, { x: 4 })]);
    assert.deepEqual(await fields(), ['x']);
  });
  check(
    'filters only by the fields in the schema of the index',
    { filterableFields: ['genre'] },
    async (index) => {
      await index.writer.upsert('n', [record]);
      assert.deepEqual(
        [await index.reader.count('n', DRAMA), await index.reader.count('n', IN_2020)],
        [1, 0],
      );
      assert.deepEqual(await index.reader.indexedFields('n'), ['genre']);
    },
  );
  check(
    'prefers the schema of the namespace to that of the index',
    { filterableFields: ['genre'] },
    async ({ reader, writer }) => {
      await writer.createNamespace('n', ONLY_YEAR);
      await writer.upsert('n', [record]);
      assert.deepEqual([await reader.count('n', DRAMA), await reader.count('n', IN_2020)], [0, 1]);
      assert.deepEqual(await reader.indexedFields('n'), ['year']);
      assert.deepEqual(idsOf(await reader.fetch('n', ['a'])), ['a']);
      const { matched } = await writer.updateByFilter('n', {
        filter: DRAMA,
        setMetadata: { n: 1 },
        recordsMax: 9,
      });
      assert.equal(matched, 0, 'writes filter by the same fields');
    },
  );
}

function names(items: readonly { readonly name: string }[]): readonly string[] {
  return items.map(({ name }) => name);
}
