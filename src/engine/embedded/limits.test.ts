// The engine accepts the largest and the smallest requests that the interface allows.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { IndexProfile } from '../../domain/index-model.ts';
import {
  METADATA_BYTES_MAX,
  RECORD_ID_CHARS_MAX,
  SPARSE_ENTRIES_MAX,
  TOP_K_MAX,
} from '../../domain/limits.ts';
import { assertFault, idsOf, SPARSE } from '../conformance/harness.ts';
import { readable } from '../conformance/same-records.ts';
import { dense, EVERYTHING, sampleProfile, sampleQuery, where } from '../conformance/sample-data.ts';
import type { StorableRecord } from '../port/reader-and-writer.ts';
import { ReferenceIndex } from '../reference/reference-index.ts';
import { openInProcess } from './in-process-index.ts';
import { RandomRecords } from './testing/random-records.ts';
import { tempFolder } from './testing/temp-folder.ts';

const LONGEST = '~'.repeat(RECORD_ID_CHARS_MAX);

function setUp(test: TestContext, overrides: Partial<IndexProfile>, directRecordsMax: number) {
  const profile = sampleProfile(overrides);
  const index = openInProcess(profile, tempFolder(test), { directRecordsMax });
  return { profile, index, ...index, model: new ReferenceIndex(profile) };
}

for (const [place, directRecordsMax] of [
  ['in memory', 0],
  ['on disk', Number.POSITIVE_INFINITY],
] as const) {
  it(`accepts names of the greatest length everywhere, ${place}`, async (test) => {
    const { index, reader, writer } = setUp(test, {}, directRecordsMax);
    const ids = [LONGEST, `${LONGEST.slice(1)}}`, LONGEST.slice(1)];
    await writer.upsert(
      LONGEST,
      ids.map((id, i) => dense(id, [1, i, 0, 0], { i })),
    );
    await writer.upsert(LONGEST.slice(1), [dense('other', [1, 0, 0, 0])]);
    assert.deepEqual(
      idsOf(await reader.query(sampleQuery({ namespace: LONGEST, values: Float32Array.of(1, 0, 0, 0) }))),
      ids,
    );
    assert.deepEqual(idsOf(await reader.fetch(LONGEST, ids)), ids);
    const list = { namespace: LONGEST, prefix: LONGEST.slice(1), limit: 1, after: null };
    const first = await reader.listIds(list);
    const second = await reader.listIds({ ...list, after: first.next });
    assert.deepEqual([...first.items, ...second.items], ids.toSorted().slice(0, 2));
    assert.equal((await reader.listNamespaces({ prefix: LONGEST, limit: 5, after: null })).total, 1);
    await writer.deleteIds(LONGEST, [LONGEST]);
    assert.equal((await reader.describeNamespace(LONGEST))?.recordCount, 2);
    await writer.deleteNamespace(LONGEST);
    assert.equal(await reader.describeNamespace(LONGEST), null);
    await index.close();
  });

  it(`stores, finds and filters records with the most sparse entries and metadata, ${place}`, async (test) => {
    const { index, reader, writer, model } = setUp(test, SPARSE, directRecordsMax);
    const text = 'é'.repeat((METADATA_BYTES_MAX - 20) / 2);
    const records = Array.from(
      { length: 40 },
      (_, i): StorableRecord => ({
        id: `r${i}`,
        values: null,
        sparse: {
          indices: Uint32Array.from(
            { length: SPARSE_ENTRIES_MAX },
            (_unused, at) => 2 ** 32 - 1 - (SPARSE_ENTRIES_MAX - 1 - at) * (i + 1),
          ),
          values: Float32Array.from({ length: SPARSE_ENTRIES_MAX }, (_unused, at) => 1 + ((at * 7 + i) % 13)),
        },
        metadataJson: JSON.stringify(
          i % 2 === 0 ? { text } : { many: Array.from({ length: 5_000 }, (_unused, at) => `t${at}`) },
        ),
      }),
    );
    for (const side of [writer, model]) await side.upsert('', records);
    assert.deepEqual(
      (await reader.fetch('', ['r7', 'r8'])).map(readable),
      (await model.fetch('', ['r7', 'r8'])).map(readable),
    );
    const sparse = records[3]?.sparse ?? null;
    for (const filter of [
      null,
      where('text', { op: 'in', values: [text] }),
      where('many', { op: 'in', values: ['t4999'] }),
    ]) {
      const request = sampleQuery({ sparse, filter, topK: 20 });
      assert.deepEqual(idsOf(await reader.query(request)), idsOf(await model.query(request)));
      assert.equal(await reader.count('', filter ?? EVERYTHING), await model.count('', filter ?? EVERYTHING));
    }
    const page = { namespace: '', filter: EVERYTHING, limit: 100, after: null, bytesMax: 200_000 };
    const found = await reader.fetchByFilter(page);
    assert.ok(found.items.length >= 1 && found.items.length < 10 && found.next !== null);
    await index.close();
  });

  it(`filters by fields of any name, and lists those that are short enough, ${place}`, async (test) => {
    const { index, reader, writer } = setUp(test, {}, directRecordsMax);
    const long = 'l'.repeat(30_000);
    const limit = 'm'.repeat(1_900);
    const fields = ['', 'a\0b', '__proto__', 'constructor', 'ünï', '😀', limit, long];
    const records = fields.map((field, i) => ({
      ...dense(`r${i}`, [1, i, 0, 0]),
      metadataJson: `{${JSON.stringify(field)}:${i}}`,
    }));
    await writer.upsert('', records);
    for (const [i, field] of fields.entries()) {
      const filter = where(field, { op: 'in', values: [i] });
      assert.equal(await reader.count('', filter), 1, field.slice(0, 20));
      await writer.update('', { id: `r${i}`, values: null, sparse: null, setMetadata: { [field]: i + 100 } });
      assert.equal(await reader.count('', filter), 0);
    }
    assert.deepEqual(await reader.indexedFields(''), fields.filter((field) => field !== long).sort());
    await index.close();
  });

  it(`accepts empty batches, which change nothing, ${place}`, async (test) => {
    const { index, reader, writer } = setUp(test, {}, directRecordsMax);
    await writer.createNamespace('n', null);
    const lsn = await writer.upsert('n', []);
    assert.equal((await reader.describeNamespace('n'))?.recordCount, 0);
    assert.ok((await writer.deleteIds('n', [])) > lsn);
    assert.deepEqual(await reader.fetch('n', []), []);
    const empty = sampleQuery({ namespace: 'n', values: Float32Array.of(1, 0, 0, 0) });
    assert.deepEqual(await reader.query(empty), []);
    assert.deepEqual(await reader.query({ ...empty, namespace: 'none' }), []);
    await writer.deleteByFilter('n', EVERYTHING);
    const change = { filter: EVERYTHING, setMetadata: { a: 1 }, recordsMax: 10 };
    assert.equal((await writer.updateByFilter('n', change)).matched, 0);
    await assertFault('namespace-not-found', writer.deleteIds('none', []));
    await index.close();
  });

  it(`returns every record in order for the largest topK, ${place}`, async (test) => {
    const { index, profile, reader, writer, model } = setUp(test, { metric: 'euclidean' }, directRecordsMax);
    const records = new RandomRecords(profile, 81);
    const all = records.records(0, 3_000);
    for (const side of [writer, model])
      for (let i = 0; i < 3; i++) await side.upsert('', all.slice(i * 1_000, (i + 1) * 1_000));
    const request = { ...records.query(), topK: TOP_K_MAX };
    assert.deepEqual(idsOf(await reader.query(request)), idsOf(await model.query(request)));
    await index.close();
  });

  it(`orders equal scores by id, also where topK ends among them, ${place}`, async (test) => {
    const { index, reader, writer } = setUp(test, {}, directRecordsMax);
    const ids = Array.from({ length: 700 }, (_, i) => `r${(i * 37) % 700}`);
    await writer.upsert(
      '',
      ids.map((id) => dense(id, [1, 2, 3, 4])),
    );
    const matches = await reader.query(sampleQuery({ values: Float32Array.of(4, 3, 2, 1), topK: 50 }));
    assert.deepEqual(idsOf(matches), ids.toSorted().slice(0, 50));
    await index.close();
  });
}

it('orders equal scores of sparse records by id, however many there are', async (test) => {
  const { index, reader, writer } = setUp(test, SPARSE, 0);
  const sparse = { indices: Uint32Array.of(3, 5), values: Float32Array.of(1, 2) };
  const ids = Array.from({ length: 4_000 }, (_, i) => `r${(i * 37) % 4_000}`);
  await writer.upsert(
    '',
    ids.map((id) => ({ id, values: null, sparse, metadataJson: null })),
  );
  const matches = await reader.query(sampleQuery({ sparse, topK: 50 }));
  assert.deepEqual(idsOf(matches), ids.toSorted().slice(0, 50));
  await index.close();
});

it('counts, stores and compares sequence numbers beyond 2^32', async (test) => {
  const folder = tempFolder(test);
  const profile = sampleProfile();
  const first = openInProcess(profile, folder);
  await first.parts.files.store.env.transaction(() => first.parts.files.store.numbers.put('seq', 2 ** 40));
  await first.close();
  const index = openInProcess(profile, folder, { directRecordsMax: 0 });
  const records = new RandomRecords(profile, 82);
  const lsn = await index.writer.upsert('', records.records(0, 500));
  assert.equal(lsn, 2 ** 40 + 1);
  const query = records.query();
  assert.equal((await index.reader.query(query)).length, 10);
  assert.equal(
    await index.writer.update('', { id: 'r3', ...records.vectors(), setMetadata: { part: 7 } }),
    lsn + 1,
  );
  const filter = where('part', { op: 'in', values: [7] });
  assert.deepEqual(idsOf(await index.reader.query({ ...query, filter })), ['r3']);
  await index.close();
});
