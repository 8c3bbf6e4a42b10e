// Conformance: records of document indexes, and the changes that they allow.
import assert from 'node:assert/strict';
import { DOCUMENT_BYTES_MAX, METADATA_BYTES_MAX } from '../../domain/limits.ts';
import type { StorableRecord } from '../port/reader-and-writer.ts';
import { articles, DOCUMENTS, document, TEXTS_ONLY } from './document-data.ts';
import { assertFault, type Check, idsOf, unchanged } from './harness.ts';
import { readable } from './same-records.ts';
import { EVERYTHING, sampleQuery, sparseOf, where } from './sample-data.ts';

export function documents(check: Check): void {
  const big = 'x'.repeat(METADATA_BYTES_MAX);
  check(
    'keeps documents with texts far over the limit of metadata',
    DOCUMENTS,
    async ({ reader, writer }) => {
      const stored = document('a', { text: `${big} ${big}`, year: 2020 });
      await writer.upsert('', [stored]);
      await writer.update('', { ...unchanged('a'), setMetadata: { year: 2021 } });
      const changed = document('a', { text: `${big} ${big}`, year: 2021 });
      assert.deepEqual((await reader.fetch('', ['a'])).map(readable), [readable(changed)]);
    },
  );
  check('removes metadata and sparse values, absent ones too', DOCUMENTS, async ({ reader, writer }) => {
    const sparse = sparseOf([[1, 2]]);
    await writer.upsert('', [{ ...document('a', { title: 'b', year: 2020, seen: true }), sparse }]);
    await writer.update('', {
      ...unchanged('a'),
      setMetadata: { seen: false },
      removeMetadata: ['title', 'year', 'none'],
      removeSparse: true,
    });
    assert.deepEqual((await reader.fetch('', ['a'])).map(readable), [
      readable(document('a', { seen: false })),
    ]);
    await writer.update('', { ...unchanged('a'), removeMetadata: ['seen'] });
    assert.deepEqual((await reader.fetch('', ['a'])).map(readable), [readable(document('a', null))]);
    assert.deepEqual(await reader.query(sampleQuery({ sparse })), []);
  });
  check('removes metadata by filter and counts the matches', DOCUMENTS, async ({ reader, writer }) => {
    await writer.upsert('', articles());
    const filter = where('year', { op: 'compare', relation: 'gte', bound: 2021 });
    const change = { filter, setMetadata: { seen: true }, removeMetadata: ['year'], recordsMax: 10 };
    const { matched, lsn } = await writer.updateByFilter('', change);
    assert.ok(matched === 2 && (await reader.lsn()) >= lsn);
    assert.equal(await reader.count('', filter), 0);
    assert.equal(await reader.count('', where('seen', { op: 'exists', present: true })), 2);
  });
  check('returns how many records a filter deleted', DOCUMENTS, async ({ reader, writer }) => {
    await writer.upsert('', articles());
    const filter = where('year', { op: 'in', values: [2021] });
    assert.equal((await writer.deleteByFilter('', filter)).matched, 1);
    const { matched, lsn } = await writer.deleteByFilter('', filter);
    assert.ok(matched === 0 && (await reader.lsn()) >= lsn);
    await assertFault('namespace-not-found', writer.deleteByFilter('none', filter));
    await assertFault('namespace-not-found', writer.deleteIds('none', ['a']));
    assert.equal(
      (await writer.updateByFilter('none', { filter, setMetadata: {}, recordsMax: 1 })).matched,
      0,
    );
    await writer.updateMany('none', [{ ...unchanged('a'), setMetadata: { year: 1 } }]);
    assert.equal(await reader.describeNamespace('none'), null);
  });
  check(
    'changes many records in their order, all or none, even one of them twice',
    DOCUMENTS,
    async ({ reader, writer }) => {
      await writer.upsert('', articles());
      await writer.updateMany('', [
        { ...unchanged('apple'), setMetadata: { year: 1, seen: true } },
        {
          ...unchanged('apple'),
          values: Float32Array.of(4, 4),
          removeMetadata: ['year', 'text', 'title', 'group'],
        },
        { ...unchanged('none'), setMetadata: { year: 1 } },
      ]);
      const changed: StorableRecord = { ...document('apple', { seen: true }), values: Float32Array.of(4, 4) };
      assert.deepEqual((await reader.fetch('', ['apple'])).map(readable), [readable(changed)]);
      const tooBig = { ...unchanged('car'), setMetadata: { note: big } };
      const changes = [{ ...unchanged('pear'), setMetadata: { year: 1 } }, tooBig];
      await assertFault('document-metadata-too-big', writer.updateMany('', changes));
      assert.equal(await reader.count('', where('year', { op: 'in', values: [1] })), 0);
    },
  );
  check('rejects a change that leaves no searchable field', TEXTS_ONLY, async ({ reader, writer }) => {
    const stored = document('a', { text: 'apple', year: 2020 }, null);
    await writer.upsert('', [stored]);
    const change = { ...unchanged('a'), removeMetadata: ['text'] };
    await assertFault('document-not-searchable', writer.update('', change));
    const filter = EVERYTHING;
    const byFilter = { filter, setMetadata: null, removeMetadata: ['text'], recordsMax: 9 };
    await assertFault('document-not-searchable', writer.updateByFilter('', byFilter));
    assert.deepEqual((await reader.fetch('', ['a'])).map(readable), [readable(stored)]);
    await writer.update('', { ...change, setMetadata: { title: 'pear' } });
    assert.deepEqual((await reader.fetch('', ['a'])).map(readable), [
      readable(document('a', { year: 2020, title: 'pear' }, null)),
    ]);
  });
  check('rejects a merged document over its limit', TEXTS_ONLY, async ({ reader, writer }) => {
    const stored = document('a', { text: 'x'.repeat(DOCUMENT_BYTES_MAX / 2) }, null);
    await writer.upsert('', [stored]);
    const setMetadata = { title: 'y'.repeat(DOCUMENT_BYTES_MAX / 2) };
    await assertFault('document-too-big', writer.update('', { ...unchanged('a'), setMetadata }));
    assert.deepEqual((await reader.fetch('', ['a'])).map(readable), [readable(stored)]);
  });
  check('compares no text field in filters, and lists none', DOCUMENTS, async ({ reader, writer }) => {
    await writer.upsert('', articles());
    const byText = where('title', { op: 'in', values: ['orchard'] });
    assert.equal(await reader.count('', byText), 0);
    assert.equal((await writer.deleteByFilter('', byText)).matched, 0);
    assert.deepEqual(await reader.indexedFields(''), ['group', 'year']);
  });
  check('ranks by sparse values whatever the metric of dense ones', DOCUMENTS, async ({ reader, writer }) => {
    await writer.upsert('', [
      { ...document('a', null), sparse: sparseOf([[1, 1]]) },
      { ...document('b', null), sparse: sparseOf([[1, 2]]) },
      document('c', null),
    ]);
    const matches = await reader.query(sampleQuery({ sparse: sparseOf([[1, 3]]) }));
    assert.deepEqual(idsOf(matches), ['b', 'a']);
    const near = await reader.query(sampleQuery({ values: Float32Array.of(1, 0), topK: 2 }));
    assert.deepEqual(idsOf(near), ['a', 'b']);
  });
}
