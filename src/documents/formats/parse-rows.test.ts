// Tests what is read from JSON, CSV and plain text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ParseLimits } from '../limits.ts';
import { outline, parsed, refusedFor } from '../testing/parsed.ts';

async function outlineOf(
  name: string,
  content: string | Uint8Array,
  limits: Partial<ParseLimits> = {},
): Promise<string[]> {
  return outline(await parsed(name, content, limits));
}

test('writes each JSON record as one line with its path', async () => {
  const json = '\uFEFF{"orders":[{"id":1,"who is":"Ann\\n Lee"},null,[]],"ok":true,"none":"","größe":1.5}';
  assert.deepEqual(await outlineOf('a.json', json), [
    'row: ok: true; größe: 1.5',
    'row: orders[0]: id: 1; ["who is"]: Ann Lee',
  ]);
});

test('keeps a nested JSON record whole, and divides a long one along its structure', async () => {
  const items = [{ sku: 'x', tags: ['a', 'b'] }, { sku: 'y' }];
  assert.deepEqual(await outlineOf('a.json', JSON.stringify([{ id: 1, items }])), [
    'row: [0]: id: 1; items[0].sku: x; items[0].tags: a, b; items[1].sku: y',
  ]);
  const long = [
    { id: 1, note: 'so '.repeat(300), items: items.map((item) => ({ ...item, text: 'z'.repeat(590) })) },
  ];
  const lines = await outlineOf('a.json', JSON.stringify(long));
  assert.deepEqual(
    lines.map((line) => line.slice(0, 28)),
    [
      'row: [0]: id: 1',
      'row: [0].note: so so so so s',
      'row: [0].items[0]: sku: x; t',
      'row: [0].items[1]: sku: y; t',
    ],
  );
});

test('takes the keys of a JSON collection as names of its records', async () => {
  const countries = { AF: { name: 'Afghanistan' }, AO: { name: 'Angola' }, AW: { name: 'Aruba' } };
  assert.deepEqual(await outlineOf('a.json', JSON.stringify(countries)), [
    'row: AF: name: Afghanistan',
    'row: AO: name: Angola',
    'row: AW: name: Aruba',
  ]);
});

test('reads JSON lines as one array', async () => {
  const lines = '{"id":1}\r\n\n{"id":2,"name":"Ann"}\n';
  assert.deepEqual(await outlineOf('a.json', lines), ['row: [0]: id: 1', 'row: [1]: id: 2; name: Ann']);
  assert.equal(await refusedFor(parsed('a.json', '{"id":1}\n{"id":')), 'corrupt');
});

test('keeps the numbers of JSON as they are written', async () => {
  const long = '{"id":1234567890123456789,"price":1.10,"far":1e400,"near":-2.5E-400,"zero":-0.0}';
  const line = 'id: 1234567890123456789; price: 1.10; far: 1e400; near: -2.5E-400; zero: -0.0';
  assert.deepEqual(await outlineOf('a.json', long), [`row: ${line}`]);
  assert.deepEqual(await outlineOf('a.json', `${long}\n[0.30]`), [`row: [0]: ${line}`, 'row: [1]: 0.30']);
  assert.deepEqual(await outlineOf('a.json', '[1.5e3, 1E-05, 1.2345678901234567e3]'), [
    'row: 1500, 0.00001, 1.2345678901234567e3',
  ]);
  const text = '{"a \\" 1.10, \\\\":"2.50 \\\\","b":[{"c":-3.50},[4.0],"\\\\\\" 5.0"]}';
  assert.deepEqual(await outlineOf('a.json', text), [
    'row: ["a \\" 1.10, \\\\"]: 2.50 \\',
    'row: b[0]: c: -3.50',
    'row: b[1]: 4.0',
    'row: b[2]: \\" 5.0',
  ]);
});

test('refuses JSON that is invalid, too deep or empty', async () => {
  assert.equal(await refusedFor(parsed('a.json', '{"a":')), 'corrupt');
  assert.equal(await refusedFor(parsed('a.json', '['.repeat(5_000_000))), 'too-deep');
  assert.equal(await refusedFor(parsed('a.json', `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`)), 'too-deep');
  assert.equal(await refusedFor(parsed('a.json', '{"a":[]}')), 'empty');
  const deepInText = JSON.stringify({ a: '"\\[{'.repeat(1_000) });
  assert.equal((await outlineOf('a.json', deepInText)).length, 1);
});

test('refuses JSON whose long paths exceed the text limit', async () => {
  const json = JSON.stringify({ ['k'.repeat(100_000)]: Array.from({ length: 1_000 }, () => ({ a: 1 })) });
  assert.equal(await refusedFor(parsed('a.json', json, { charactersMax: 1_000_000 })), 'too-large');
});

test('names the columns of CSV rows, even of ragged ones', async () => {
  const csv = '\uFEFFname,city,note\nAnn,Rome,"two\nlines, quoted"\nBob\nCy,Oslo,,extra\n\n,,\n';
  assert.deepEqual(await outlineOf('a.csv', csv), [
    'row: name: Ann; city: Rome; note: two lines, quoted',
    'row: name: Bob',
    'row: name: Cy; city: Oslo; column 4: extra',
  ]);
});

test('writes CSV rows without names where these would be most of the text', async () => {
  const names = Array.from({ length: 4 }, (_, at) => `a long name of column ${at}`);
  const csv = [names, ...Array.from({ length: 50 }, (_, at) => [at, 1, '', 3])]
    .map((row) => row.join(','))
    .join('\n');
  const lines = await outlineOf('a.csv', csv, { charactersMax: 2_000 });
  assert.deepEqual(lines.slice(0, 2), [`heading1: ${names.join(' | ')}`, 'row: 0 | 1 |  | 3']);
  assert.equal(lines.length, 51);
});

test('detects other delimiters of CSV', async () => {
  assert.deepEqual(await outlineOf('a.csv', 'a;b\n1,5;2\n'), ['row: a: 1,5; b: 2']);
  assert.deepEqual(await outlineOf('a.csv', 'a\tb\n1\t2'), ['row: a: 1; b: 2']);
});

test('takes no delimiter within quotes for one, and of two that are as frequent the one that all records have', async () => {
  const quoted = 'id,"Name; first name; title"\n1,"Ann"\n';
  assert.deepEqual(await outlineOf('a.csv', quoted), ['row: id: 1; Name; first name; title: Ann']);
  const prices = 'Artikel;Preis, netto\nStuhl;49,90\nTisch;100\nBank;1,50\n';
  assert.deepEqual(await outlineOf('a.csv', prices), [
    'row: Artikel: Stuhl; Preis, netto: 49,90',
    'row: Artikel: Tisch; Preis, netto: 100',
    'row: Artikel: Bank; Preis, netto: 1,50',
  ]);
});

test('refuses a CSV file with an unclosed quote, and names the line', async () => {
  assert.equal(await refusedFor(parsed('a.csv', 'a,b\n"1,2\n')), 'corrupt');
});

test('refuses a file with too many rows', async () => {
  assert.equal(await refusedFor(parsed('a.csv', 'a\n'.repeat(200), { blocksMax: 100 })), 'too-large');
});

test('separates paragraphs of plain text at blank lines, and joins hyphenated words', async () => {
  assert.deepEqual(await outlineOf('a.txt', 'One of the south-\r\nern coast.\r\n \r\n\r\n- a\r\n- b\r\n'), [
    'paragraph: One of the southern coast.',
    'list: - a\n- b',
  ]);
});

test('reads text that mentions a PDF signature or control tokens as text', async () => {
  assert.deepEqual(await outlineOf('a.txt', 'A file begins with %PDF-1.7. <|endoftext|>'), [
    'paragraph: A file begins with %PDF-1.7. <|endoftext|>',
  ]);
});
