// Guarantees of reads as of a moment: all of them answer as they did then, whatever was written since.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Filter } from '../../../../domain/filter/grammar.ts';
import { document, TEXTS_ONLY, term } from '../../../conformance/document-data.ts';
import { assertFault } from '../../../conformance/harness.ts';
import { sampleProfile, sampleQuery, where } from '../../../conformance/sample-data.ts';
import type { QueryRequest, VectorReader } from '../../../port/reader-and-writer.ts';
import { openInProcess } from '../../in-process-index.ts';
import { effort } from '../../testing/effort.ts';
import {
  BOUNDS,
  HistoryFixture,
  HOUR_MS,
  IDS,
  NAMESPACES,
  randomWrite,
} from '../../testing/history-fixture.ts';
import { tempFolder } from '../../testing/temp-folder.ts';

const OPTIONS = { seed: 73, numRuns: effort({ daily: 20, long: 1_000 }) };
const FILTERED: Filter = where('part', { op: 'in', values: [1, 2] });
const PAGE = { limit: 3, bytesMax: 1_000_000 };

const writes = fc.array(randomWrite(3), { minLength: 2, maxLength: 14 });

/** All pages of a listing. */
async function everyPage<Item>(
  page: (after: string | null) => Promise<{ readonly items: readonly Item[]; readonly next: string | null }>,
): Promise<readonly Item[]> {
  const all: Item[] = [];
  for (let after: string | null = null; ; ) {
    const { items, next } = await page(after);
    all.push(...items);
    if (next === null) return all;
    after = next;
  }
}

/** What a reader answers, to calls of every kind. */
async function answersOf(reader: VectorReader, queries: readonly QueryRequest[]) {
  const namespaces = await everyPage((after) => reader.listNamespaces({ prefix: '', limit: 1, after }));
  const own = [];
  for (const name of NAMESPACES) {
    const ordered = { namespace: name, filter: FILTERED, after: null, ...PAGE };
    const order = { field: 'part', descending: true, afterNumber: null };
    own.push({
      summary: withoutSize(await reader.describeNamespace(name)),
      records: await reader.fetch(name, ['r9', ...IDS, 'r1']),
      ids: await everyPage((after) => reader.listIds({ namespace: name, prefix: 'r', limit: 3, after })),
      matching: await everyPage((after) => reader.fetchByFilter({ ...ordered, after })),
      largest: await reader.fetchByFilter({ ...ordered, order }),
      count: await reader.count(name, FILTERED),
      values: await reader.countValues({
        ...{ namespace: name, filter: null, among: null },
        fields: [{ field: 'name', limit: 20 }],
      }),
    });
  }
  const found = [];
  for (const query of queries) found.push(await reader.query(query));
  return {
    ...{ own, found, counts: await reader.recordCounts() },
    namespaces: namespaces.map(withoutSize),
  };
}

function withoutSize<Summary extends { readonly sizeBytes: number }>(summary: Summary | null) {
  return summary === null ? null : { ...summary, sizeBytes: 0 };
}

/** Queries by both vectors, and by the sparse one; of some records, and of those that match. */
function queriesOf(fixture: HistoryFixture): readonly QueryRequest[] {
  return NAMESPACES.flatMap((name) => {
    const query = fixture.query(name);
    return [
      { ...query, includeValues: true },
      { ...query, topK: 2 },
      { ...query, filter: FILTERED },
      { ...query, values: null },
    ];
  });
}

interface Moment {
  readonly lsn: number;
  readonly ms: number;
  readonly answers: Awaited<ReturnType<typeof answersOf>>;
}

describe('reads as of a moment', () => {
  for (const where of ['on disk', 'in memory'])
    it(`answer as they did then, ${where}, after any writes, undos and restarts`, async (test) => {
      await fc.assert(
        fc.asyncProperty(writes, fc.nat(), fc.nat(), async (list, restart, undone) => {
          const fixture = new HistoryFixture(test, BOUNDS, where === 'on disk' ? undefined : 0);
          const queries = queriesOf(fixture);
          const moments: Moment[] = [];
          const note = async () => {
            const answers = await answersOf(fixture.index.reader, queries);
            moments.push({ lsn: fixture.lsn, ms: fixture.now, answers });
          };
          await fixture.upsert('', 0, 3);
          await note();
          for (const [i, each] of list.entries()) {
            await fixture.write(each);
            await note();
            if (i === restart % list.length) await fixture.reopen();
          }
          await fixture.rollBack('', moments[undone % moments.length]?.lsn ?? 0);
          for (const { lsn, ms, answers } of moments) {
            const { reader } = fixture.index;
            assert.deepEqual(await answersOf(reader.asOf({ lsn }), queries), answers, `LSN ${lsn}`);
            assert.deepEqual(await answersOf(reader.asOf({ ms }), queries), answers, `LSN ${lsn} by time`);
            assert.equal(await reader.asOf({ lsn }).lsn(), lsn);
          }
          await fixture.close();
        }),
        OPTIONS,
      );
    });

  it('know the fields of records that are gone, and of a namespace that was dropped', async (test) => {
    const fixture = new HistoryFixture(test);
    await fixture.upsert('', 0, 3);
    const { lsn } = fixture;
    const { reader, writer } = fixture.index;
    const none = { values: null, sparse: null, metadataJson: null };
    await writer.upsert('', [{ ...none, id: 'r0', values: new Float32Array([1, 0, 0, 0]) }]);
    await writer.deleteIds('', ['r1', 'r2']);
    assert.deepEqual(await reader.indexedFields(''), [], 'no record has one');
    assert.deepEqual(await reader.asOf({ lsn }).indexedFields(''), ['name', 'part', 'rare']);
    await fixture.write({ kind: 'deleteNamespace', namespace: '', ids: [] });
    assert.deepEqual(await reader.indexedFields(''), []);
    assert.deepEqual(await reader.asOf({ lsn }).indexedFields(''), ['name', 'part', 'rare']);
    await fixture.close();
  });

  it('search deeper, and then all records, where most of the best were changed since', async (test) => {
    const fixture = new HistoryFixture(test, BOUNDS, 0);
    await fixture.upsert('', 0, 2_000);
    const query = { ...fixture.query(''), topK: 20 };
    const { lsn } = fixture;
    const then = await fixture.index.reader.query(query);
    const ranked = (await fixture.index.reader.query({ ...query, topK: 2_000 })).map(({ id }) => id);
    for (const share of [10, 100, 1_000, 2_000]) {
      await fixture.write({ kind: 'update', namespace: '', ids: ranked.slice(0, share) });
      assert.deepEqual(await fixture.index.reader.asOf({ lsn }).query(query), then, `${share} changed`);
    }
    await fixture.write({ kind: 'deleteIds', namespace: '', ids: ranked.slice(0, 1_900) });
    assert.deepEqual(await fixture.index.reader.asOf({ lsn }).query(query), then);
    await fixture.close();
  });

  it('score and filter texts by the statistics of then', async (test) => {
    const history = { bounds: BOUNDS };
    const index = openInProcess(sampleProfile(TEXTS_ONLY), tempFolder(test), {
      directRecordsMax: 0,
      history,
    });
    const texts = ['red fish', 'blue fish fish', 'red bird', 'green'];
    const all = texts.map((text, i) => document(`d${i}`, { text, n: i }, null));
    const lsn = await index.writer.upsert('', all);
    const query = sampleQuery({ text: term('text', 'fish'), includeMetadata: true });
    const then = await index.reader.query(query);
    await index.writer.upsert('', [document('d1', { text: 'fish '.repeat(30) }, null)]);
    await index.writer.deleteIds('', ['d0', 'd3']);
    await index.writer.upsert('', [document('d9', { text: 'fish' }, null)]);
    assert.notDeepEqual(await index.reader.query(query), then);
    assert.deepEqual(await index.reader.asOf({ lsn }).query(query), then);
    const filter: Filter = { kind: 'text', query: term('text', 'fish') };
    assert.equal(await index.reader.asOf({ lsn }).count('', filter), 2);
    await index.close();
  });
});

describe('a moment', () => {
  it('is refused before the history, in the future, and where there is no history', async (test) => {
    const fixture = new HistoryFixture(test);
    await fixture.upsert('', 0, 100);
    await fixture.upsert('', 0, 100);
    const before = fixture.lsn;
    const old = fixture.index.reader.asOf({ lsn: before - 1 });
    assert.equal((await old.fetch('', ['r1'])).length, 1);
    fixture.now += 25 * HOUR_MS;
    for (let i = 0; i < 5; i++) await fixture.write({ kind: 'update', namespace: '', ids: ['r0'] });
    const { reader } = fixture.index;
    const refused = (moment: Parameters<typeof reader.asOf>[0]) =>
      assertFault(
        'invalid-argument',
        Promise.resolve().then(() => reader.asOf(moment)),
      );
    await refused({ lsn: before - 1 });
    await refused({ ms: fixture.now - 26 * HOUR_MS });
    await refused({ lsn: fixture.lsn + 1 });
    await refused({ ms: fixture.now + HOUR_MS });
    // A reader that was there before the history moved on.
    await assertFault('invalid-argument', old.fetch('', ['r1']));
    await fixture.reopen(null);
    await fixture.write({ kind: 'update', namespace: '', ids: ['r0'] });
    const without = fixture.index.reader;
    assert.equal(await without.asOf({ lsn: fixture.lsn }).lsn(), fixture.lsn);
    await assertFault(
      'invalid-argument',
      Promise.resolve().then(() => without.asOf({ lsn: fixture.lsn - 1 })),
    );
    await fixture.close();
  });
});
