// Guarantees of records of another database that become vectors, texts or documents: no one stops all others.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { IndexKind } from '../client/index-kind.ts';
import { CliProblem } from '../command.ts';
import { type Mapping, migrated } from './foreign-records.ts';
import { Losses } from './losses.ts';
import type { ForeignRecord } from './sources/port.ts';
import { rulesOf } from './target-rules.ts';

const MAPPING: Mapping = {
  target: 'documents',
  nested: 'dots',
  text: { from: 'body', to: 'chunk' },
  hasSparse: false,
  isStrict: false,
};
const RECORD = { id: 'a', values: [1, 2], fields: { _id: 'other', body: 'words', chunk: 'old', n: 1 } };
const FIELDS = {
  chunk: { type: 'string', store_text: true, full_text_search: { language: 'en' } },
  kind: { type: 'string', filterable: true },
};

function migrate(record: ForeignRecord, target: IndexKind, more: Partial<Mapping> = {}) {
  const losses = new Losses();
  const found = target === 'vectors' ? null : { host: '', kind: target, textField: 'chunk', fields: FIELDS };
  const rules = rulesOf(found, { dimension: 2, metric: 'dotproduct' });
  const made = migrated(record, { mapping: { ...MAPPING, target, ...more }, rules }, losses);
  return { made, counts: losses.counts, unstorable: losses.unstorable };
}

describe('a record with fields that have the names of the id and the text in the target', () => {
  it('keeps its id and its text, and counts the fields as left out', () => {
    for (const target of ['documents', 'texts'] as const) {
      const { made, counts } = migrate(RECORD, target);
      assert.equal(made?.id, 'a');
      assert.deepEqual(made?.body, { _id: 'a', n: 1, chunk: 'words' });
      assert.deepEqual(counts, { twice: 2 });
    }
  });

  it('keeps a field id in documents, and counts it as left out in texts, where it would be a second id', () => {
    const record = { ...RECORD, fields: { id: 'their own', body: 'words' } };
    assert.deepEqual(migrate(record, 'documents').made?.body, { _id: 'a', id: 'their own', chunk: 'words' });
    const { made, counts } = migrate(record, 'texts');
    assert.deepEqual([made?.body, counts], [{ _id: 'a', chunk: 'words' }, { twice: 1 }]);
  });

  it('is refused where nothing may change', () => {
    assert.throws(() => migrate(RECORD, 'documents', { isStrict: true }), CliProblem);
  });
});

describe('fields whose names no field may have in the target', () => {
  it('are counted as left out, and the record stays', () => {
    const fields = { _class: 'x', $ref: 'y', ['n'.repeat(65)]: 1, body: 'words', n: 1 };
    const record = { ...RECORD, fields };
    const documents = migrate(record, 'documents');
    assert.deepEqual(documents.made?.body, { _id: 'a', n: 1, chunk: 'words' });
    assert.deepEqual(documents.counts, { names: 3 });
    const { made, counts } = migrate(record, 'vectors');
    const { $ref: _, ...metadata } = fields;
    assert.deepEqual([made?.body, counts], [{ id: 'a', values: [1, 2], metadata }, { names: 1 }]);
    assert.throws(() => migrate(record, 'documents', { isStrict: true }), /names no field may have/);
  });
});

describe('a record with a sparse vector that the target refuses', () => {
  it('stays without it, which counts as left out', () => {
    const one = { indices: [1], values: [1] };
    const many = Array.from({ length: 3_000 }, (_, at) => at);
    for (const sparse of [
      { indices: [1, 1], values: [1, 2] },
      { indices: [-1], values: [1] },
      { indices: [1, 2], values: [1] },
      { indices: many, values: many },
    ]) {
      const record = { ...RECORD, fields: {}, sparse };
      const { made, counts } = migrate(record, 'vectors', { hasSparse: true });
      assert.deepEqual([made?.body, counts], [{ id: 'a', values: [1, 2] }, { sparse: 1 }]);
      assert.throws(
        () => migrate(record, 'vectors', { hasSparse: true, isStrict: true }),
        /sparse vectors left out/,
      );
    }
    const { made, counts } = migrate({ ...RECORD, fields: {}, sparse: one }, 'vectors', { hasSparse: true });
    assert.deepEqual([made?.body, counts], [{ id: 'a', values: [1, 2], sparseValues: one }, {}]);
  });
});

describe('a record that the target refuses', () => {
  const large = { note: 'x'.repeat(41_000) };
  const cases: readonly (readonly [IndexKind, Partial<ForeignRecord>, RegExp])[] = [
    ['vectors', { id: 'caf\u00e9' }, /ASCII/],
    ['vectors', { id: 'x'.repeat(513) }, /1 to 512 characters/],
    ['vectors', { fields: large }, /[Mm]etadata/],
    ['vectors', { values: [0, 1e-9] }, /only zeros/],
    ['vectors', { values: [1, 2, 3] }, /dimension 3/],
    ['texts', { id: 'caf\u00e9' }, /ASCII/],
    ['texts', { fields: { ...large, body: 'words' } }, /[Mm]etadata/],
    ['texts', { fields: { body: 'x'.repeat(41_000) } }, /[Mm]etadata/],
    ['documents', { id: 'caf\u00e9' }, /ASCII/],
    ['documents', { fields: { ...large, body: 'words' } }, /[Mm]etadata/],
    ['documents', { fields: { body: 'x'.repeat(103_000) } }, /at most 102400/],
    ['documents', { fields: { body: 'a b '.repeat(6_000) } }, /12000 tokens/],
  ];

  it('is left out, counted and named with the reason', () => {
    for (const [target, change, expected] of cases) {
      const record: ForeignRecord = { ...RECORD, fields: { body: 'words' }, ...change };
      const { made, counts, unstorable } = migrate(record, target);
      assert.deepEqual([made, counts], [null, { unstorable: 1 }], `${target} ${expected}`);
      assert.equal(unstorable[0]?.id, record.id);
      assert.match(unstorable[0]?.reason ?? '', expected);
    }
  });

  it('ends a strict migration', () => {
    for (const [target, change, expected] of cases) {
      const record: ForeignRecord = { ...RECORD, fields: { body: 'words' }, ...change };
      assert.throws(() => migrate(record, target, { isStrict: true }), expected);
    }
  });

  it('is none where it just fits', () => {
    for (const [target, change] of [
      ['vectors', { values: [0, 1e-7], fields: { note: 'x'.repeat(40_000) } }],
      ['texts', { fields: { body: 'x'.repeat(40_000) } }],
      ['documents', { fields: { body: 'x'.repeat(102_000), note: 'x'.repeat(40_000), kind: 7 } }],
    ] as const)
      assert.notEqual(migrate({ ...RECORD, ...change }, target).made, null, target);
  });
});

describe('the losses of a migration', () => {
  it('name the first records that cannot be stored, and count the others', () => {
    const all = new Losses();
    for (let page = 0; page < 3; page++) {
      const losses = new Losses();
      for (let at = 0; at < 15; at++) losses.addUnstorable({ id: `${page}-${at}`, reason: 'x' });
      all.addAll(losses);
    }
    assert.deepEqual([all.counts, all.unstorable.length], [{ unstorable: 45 }, 20]);
    assert.equal(all.unstorable.at(-1)?.id, '1-4');
  });
});
