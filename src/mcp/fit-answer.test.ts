// Guarantees of answers that are cut for language models: what is left is whole, and the note says what is not there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../domain/json.ts';
import { fitList, shownFields } from './fit-answer.ts';

test('cuts no character in two, wherever the end of a text comes to lie', () => {
  const text = 'birds \u{1F426}\u{1F426}\u{1F426} at the water';
  for (let textCharsMax = 1; textCharsMax < text.length; textCharsMax++) {
    const { text: cut } = shownFields({ text }, { textCharsMax });
    assert.ok(String(cut).isWellFormed(), `${textCharsMax}: ${cut}`);
    const [, shown = '', more] = /^(.*)\.\.\. \[(\d+) more characters\]$/.exec(String(cut)) ?? [];
    assert.ok(text.startsWith(shown) && shown.length <= textCharsMax);
    assert.equal(Number(more), text.length - shown.length);
  }
});

const DIMENSION = 20_000;
const WIDE = Array.from({ length: DIMENSION }, (_, i) => i / 7);
const TEXT = 'x'.repeat(50_000);
const ADVICE = 'Fetch fewer.';
const fitted = (items: readonly JsonObject[]) => fitList('records', { items, advice: ADVICE });

test('leaves the numbers of a record out before its texts, and names them', () => {
  const record = { id: 'a', fields: { title: 'Birds', text: TEXT, small: [1, 2] }, values: WIDE };
  const { records, note } = fitted([record, record]);
  assert.deepEqual(records, [{ id: 'a', fields: record.fields }]);
  assert.match(String(note), /^1 of 2 fit into this answer, without values\. Fetch fewer/);
});

test('says so also where the one record was all that was asked for', () => {
  const sparse = { indices: WIDE, values: WIDE };
  const { records, note } = fitted([
    { id: 'a', fields: { title: 'Birds', own: WIDE }, sparse_values: sparse },
  ]);
  assert.deepEqual(records, [{ id: 'a', fields: { title: 'Birds' } }]);
  assert.equal(note, `1 of 1 fit into this answer, without fields.own, sparse_values. ${ADVICE}`);
});

test('cuts texts only where the record is too long without its numbers', () => {
  const { records, note } = fitted([{ id: 'a', fields: { one: TEXT, two: TEXT }, values: WIDE }]);
  const [record] = records as readonly [{ readonly fields: Readonly<Record<string, string>> }];
  for (const text of Object.values(record.fields))
    assert.match(text, /^x{14000,}\.\.\. \[\d+ more characters\]$/);
  assert.ok(JSON.stringify(records).length <= 60_100);
  assert.match(String(note), /without values, with its texts cut\. /);
});

test('cuts texts in lists, too', () => {
  const tags = Array.from({ length: 10 }, () => TEXT);
  const { records } = fitted([{ id: 'a', fields: { tags } }]);
  const [record] = records as readonly [{ readonly fields: { readonly tags: readonly string[] } }];
  assert.equal(record.fields.tags.length, tags.length);
});

test('keeps the numbers of those that fit whole', () => {
  const values = WIDE.slice(0, 1_000);
  const { records, note } = fitted(['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, values })));
  assert.deepEqual(Object(records)[0], { id: 'a', values });
  assert.equal(note, `3 of 5 fit into this answer. ${ADVICE}`);
});

test('says so where nothing but the id of a record fits', () => {
  const fields = { tags: Array.from({ length: DIMENSION }, (_, i) => `t${i}`) };
  const { records, note } = fitted([{ id: 'a', fields }]);
  assert.deepEqual(records, [{ id: 'a' }]);
  assert.equal(note, `1 of 1 fit into this answer, without its fields. ${ADVICE}`);
});

test('names the next page only behind items that are all there', () => {
  const item = { id: 'a', text: TEXT };
  const next = { next_page: 'b' };
  assert.deepEqual(fitList('records', { items: [item], next, advice: ADVICE }).next_page, 'b');
  const cut = fitList('records', { items: [item, item, item], next, advice: ADVICE });
  assert.deepEqual([cut.next_page, typeof cut.note], [undefined, 'string']);
});
