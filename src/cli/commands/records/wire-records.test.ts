// Guarantees of rows that become records: each field arrives, or the row is refused.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { wireRecord } from './wire-records.ts';

describe('a row', () => {
  it('keeps the field id of a document that has an _id, and gives its id where it has none', () => {
    const fetched = { _id: 'a', id: 'their own', title: 'x' };
    assert.deepEqual(wireRecord(fetched, 'documents'), fetched);
    assert.deepEqual(wireRecord({ id: 7, title: 'x' }, 'documents'), { _id: '7', title: 'x' });
  });

  it('is refused with two ids or two sparse vectors where only one could be stored', () => {
    for (const form of ['vectors', 'texts'] as const)
      assert.throws(
        () => wireRecord({ id: 'a', _id: 'b' }, form),
        /has both _?id and _?id, expected one/,
        form,
      );
    const sparse = { indices: [1], values: [2] };
    assert.throws(
      () => wireRecord({ id: 'a', sparse_values: sparse, sparseValues: sparse }, 'vectors'),
      /has both sparseValues and sparse_values/,
    );
  });

  it('is refused without values where the index has vectors, which columns of other names may hold', () => {
    for (const row of [{ id: 'a' }, { id: 'a', values: null }, { id: 'a', vector: [1] }])
      assert.throws(() => wireRecord(row, 'vectors'), /no values, expected a list of numbers/);
    const sparse = { id: 'a', sparseValues: { indices: [1], values: [2] } };
    assert.deepEqual(wireRecord(sparse, 'vectors'), sparse);
  });

  it('has the fields of its metadata and those beside it, and is refused where one is in both', () => {
    assert.deepEqual(wireRecord({ id: 'a', year: 1, values: [1], metadata: { lang: 'en' } }, 'vectors'), {
      id: 'a',
      values: [1],
      metadata: { lang: 'en', year: 1 },
    });
    assert.deepEqual(wireRecord({ _id: 'a', text: 'x', metadata: { lang: 'en' } }, 'texts'), {
      _id: 'a',
      lang: 'en',
      text: 'x',
    });
    for (const [form, name] of [
      ['vectors', 'metadata'],
      ['texts', 'metadata'],
      ['documents', '_metadata'],
    ] as const)
      assert.throws(
        () => wireRecord({ id: 'a', values: [1], lang: 'en', [name]: { lang: 'de' } }, form),
        new RegExp(`its ${name} has the field 'lang', which the row has beside it`),
      );
  });

  it('is refused where its metadata has an id, which would take the place of its own', () => {
    for (const [form, name] of [
      ['texts', 'metadata'],
      ['documents', '_metadata'],
    ] as const)
      for (const id of ['id', '_id'])
        assert.throws(
          () => wireRecord({ [id]: 'a', [name]: { _id: 'b' } }, form),
          new RegExp(`its ${name} has the field '_id', which the row has beside it`),
        );
    const inside = { _id: 'a', _metadata: { id: 'their own' } };
    assert.deepEqual(wireRecord(inside, 'documents'), { _id: 'a', id: 'their own' });
  });

  it('has a text that is called metadata, and the fields of the column beside it', () => {
    const row = { _id: 'a', metadata: 'a text', _metadata: { lang: 'en' } };
    assert.deepEqual(wireRecord(row, 'texts', ['metadata']), { _id: 'a', metadata: 'a text', lang: 'en' });
  });

  it('has the value of a field of which its metadata or what is beside it is null', () => {
    for (const form of ['texts', 'documents'] as const) {
      const name = form === 'texts' ? 'metadata' : '_metadata';
      const expected = { _id: 'a', lang: 'en' };
      assert.deepEqual(wireRecord({ _id: 'a', lang: null, [name]: { lang: 'en' } }, form), expected);
      assert.deepEqual(wireRecord({ _id: 'a', lang: 'en', [name]: { lang: null } }, form), expected);
    }
    assert.deepEqual(wireRecord({ id: 'a', lang: null, values: [1], metadata: { lang: 'en' } }, 'vectors'), {
      id: 'a',
      values: [1],
      metadata: { lang: 'en' },
    });
  });

  it('keeps fields whose names have a meaning in JavaScript', () => {
    const row = JSON.parse('{"_id":"a","__proto__":"x","_metadata":{"constructor":"y"}}');
    assert.equal(
      JSON.stringify(wireRecord(row, 'documents')),
      '{"_id":"a","__proto__":"x","constructor":"y"}',
    );
  });
});
