// What is read of JSON, CSV and plain text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outline, parsed, refusedFor } from '../testing/parsed.ts';

async function outlineOf(name: string, content: string | Uint8Array): Promise<string[]> {
  return outline(await parsed(name, content));
}

test('each JSON value is one line with its path', async () => {
  const json = '\uFEFF{"orders":[{"id":1,"who is":"Ann\\n Lee"},null,[]],"ok":true,"none":"","größe":1.5}';
  assert.deepEqual(await outlineOf('a.json', json), [
    'row: orders[0].id: 1',
    'row: orders[0]["who is"]: Ann Lee',
    'row: ok: true',
    'row: größe: 1.5',
  ]);
});

test('a JSON value a line is a list of them', async () => {
  const lines = '{"id":1}\r\n\n{"id":2,"name":"Ann"}\n';
  assert.deepEqual(await outlineOf('a.json', lines), [
    'row: [0].id: 1',
    'row: [1].id: 2',
    'row: [1].name: Ann',
  ]);
  assert.equal(await refusedFor(parsed('a.json', '{"id":1}\n{"id":')), 'corrupt');
});

test('JSON that is broken, too deep or empty is refused', async () => {
  assert.equal(await refusedFor(parsed('a.json', '{"a":')), 'corrupt');
  assert.equal(await refusedFor(parsed('a.json', '['.repeat(5_000_000))), 'too-deep');
  assert.equal(await refusedFor(parsed('a.json', `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`)), 'too-deep');
  assert.equal(await refusedFor(parsed('a.json', '{"a":[]}')), 'empty');
  const deepInText = JSON.stringify({ a: '"\\[{'.repeat(1_000) });
  assert.equal((await outlineOf('a.json', deepInText)).length, 1);
});

test('JSON whose paths multiply is refused at the bound on text', async () => {
  const json = JSON.stringify({ ['k'.repeat(100_000)]: Array.from({ length: 1_000 }, () => 1) });
  assert.equal(await refusedFor(parsed('a.json', json, { charactersMax: 1_000_000 })), 'too-large');
});

test('CSV rows name their columns, ragged ones too', async () => {
  const csv = '\uFEFFname,city,note\nAnn,Rome,"two\nlines, quoted"\nBob\nCy,Oslo,,extra\n\n,,\n';
  assert.deepEqual(await outlineOf('a.csv', csv), [
    'row: name: Ann; city: Rome; note: two lines, quoted',
    'row: name: Bob',
    'row: name: Cy; city: Oslo; column 4: extra',
  ]);
});

test('CSV with other delimiters is understood', async () => {
  assert.deepEqual(await outlineOf('a.csv', 'a;b\n1,5;2\n'), ['row: a: 1,5; b: 2']);
  assert.deepEqual(await outlineOf('a.csv', 'a\tb\n1\t2'), ['row: a: 1; b: 2']);
});

test('a quote that never closes refuses the CSV file with its line', async () => {
  assert.equal(await refusedFor(parsed('a.csv', 'a,b\n"1,2\n')), 'corrupt');
});

test('more rows than allowed are refused', async () => {
  assert.equal(await refusedFor(parsed('a.csv', 'a\n'.repeat(200), { blocksMax: 100 })), 'too-large');
});

test('blank lines separate paragraphs of plain text, wrapped words are joined', async () => {
  assert.deepEqual(await outlineOf('a.txt', 'One of the south-\r\nern coast.\r\n \r\n\r\n- a\r\n- b\r\n'), [
    'paragraph: One of the southern coast.',
    'list: - a\n- b',
  ]);
});

test('a text that speaks of PDF or holds control tokens is text', async () => {
  assert.deepEqual(await outlineOf('a.txt', 'A file begins with %PDF-1.7. <|endoftext|>'), [
    'paragraph: A file begins with %PDF-1.7. <|endoftext|>',
  ]);
});
