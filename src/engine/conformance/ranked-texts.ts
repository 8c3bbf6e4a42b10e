// Conformance: searches of an index of vectors by the texts of its ranked fields.
import assert from 'node:assert/strict';
import { rankedTextQuery } from '../../domain/full-text/searched-texts.ts';
import type { StorableRecord } from '../port/reader-and-writer.ts';
import { assertScores, type Check, idsOf, SPARSE, unchanged } from './harness.ts';
import { type Entries, sampleQuery, sparseOf, sparseOnly, where } from './sample-data.ts';

const RANKED = { ...SPARSE, rankedFields: ['before', 'text'] } as const;
/** Indices of the words of the notes. */
const [WATER, FLOOD] = [1, 2];
const SPARSE_FLOOD = sparseOf([[FLOOD, 1]]);

function note(id: string, text: string, entries: Entries): StorableRecord {
  return sparseOnly(id, entries, { text, group: 'note' });
}

/** By sparse values, the first is the best for `flood`. */
const NOTES = [
  note('long', 'A flood of letters came to the editor after the paper had told of it at length', [
    [WATER, 1],
    [FLOOD, 9],
  ]),
  note('short', 'Floods and flooding', [[FLOOD, 1]]),
  note('other', 'Heron at the water', [[WATER, 1]]),
  sparseOnly('none', [[FLOOD, 5]]),
];

const byText = (text: string) =>
  sampleQuery({ sparse: SPARSE_FLOOD, text: rankedTextQuery(text, { documents: null, ...RANKED }) });

export function rankedTexts(check: Check): void {
  check('ranks by the texts of ranked fields, by their stems', RANKED, async ({ reader, writer }) => {
    await writer.upsert('', NOTES);
    assert.deepEqual(idsOf(await reader.query(byText('the flooded'))), ['short', 'long']);
    assert.deepEqual(idsOf(await reader.query(byText('herons'))), ['other']);
    assert.deepEqual(idsOf(await reader.query(byText('of the'))), []);
    await writer.upsert('', [sparseOnly('old', [[WATER, 1]], { before: 'Herons' })]);
    assert.deepEqual(idsOf(await reader.query(byText('heron'))).toSorted(), ['old', 'other']);
  });
  check('ranks sparse values as before where there is no text', RANKED, async ({ reader, writer }) => {
    await writer.upsert('', NOTES);
    await assertScores(reader, { sparse: SPARSE_FLOOD }, [
      ['long', 9],
      ['none', 5],
      ['short', 1],
    ]);
  });
  check('weighs terms of ranked fields by the live records alone', RANKED, async ({ reader, writer }) => {
    await writer.upsert('', NOTES);
    const [before] = await reader.query(byText('heron'));
    await writer.upsert('', [note('more', 'heron', [[WATER, 1]])]);
    await writer.update('', { ...unchanged('more'), setMetadata: { text: 'crane' } });
    assert.deepEqual(idsOf(await reader.query(byText('heron'))), ['other']);
    assert.deepEqual(idsOf(await reader.query(byText('cranes'))), ['more']);
    await writer.deleteIds('', ['more']);
    assert.deepEqual(await reader.query(byText('heron')), [before]);
    assert.deepEqual(await reader.query(byText('crane')), []);
  });
  check('filters by ranked fields, and requires indices beside them', RANKED, async ({ reader, writer }) => {
    await writer.upsert('', NOTES);
    const filter = where('text', { op: 'in', values: ['Floods and flooding'] });
    assert.deepEqual(idsOf(await reader.query({ ...byText('flood'), filter })), ['short']);
    assert.equal(await reader.count('', filter), 1);
    assert.ok((await reader.indexedFields('')).includes('text'));
    const required = { ...byText('flood'), requiredTerms: Uint32Array.of(WATER) };
    assert.deepEqual(idsOf(await reader.query(required)), ['long']);
  });
}

export function withoutRankedTexts(check: Check): void {
  check(
    'counts values among what sparse values find although a text is given',
    RANKED,
    async ({ reader, writer }) => {
      await writer.upsert('', NOTES);
      const { sparse, text = null } = byText('heron');
      const among = [
        { sparse, text: null },
        { sparse: null, text },
      ];
      const [all, found] = [{ among: [{ sparse, text: null }] }, { among }].map((more) =>
        reader.countValues({ namespace: '', filter: null, fields: [{ field: 'kind', limit: 5 }], ...more }),
      );
      assert.deepEqual(await found, await all);
    },
  );

  check('ranks by sparse values although a text is given', RANKED, async ({ reader, writer }) => {
    await writer.upsert('', NOTES);
    assert.deepEqual(idsOf(await reader.query(byText('heron'))), ['long', 'none', 'short']);
  });
}
