// Tests which tables of files are kept with all their rows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawPdf } from '../testing/draw-pdf.ts';
import { makeXlsx, sheetRow } from '../testing/make-office.ts';
import { parsed } from '../testing/parsed.ts';
import { TableCollector } from './table-collector.ts';
import { TABLES_CHARACTERS_MAX } from './table-model.ts';

async function tablesOf(name: string, content: string | Uint8Array) {
  const { tables = [] } = await parsed(name, content);
  return tables.map(({ name: title, columns, text }) => ({
    name: title,
    columns,
    rows: text.split('\n').map((row) => row.split('\t')),
  }));
}

test('keeps the rows of CSV, ragged ones included', async () => {
  assert.deepEqual(await tablesOf('a.csv', 'city,amount\nRome,"1\n2"\n\nOslo,3,late\n,,\n'), [
    {
      name: '',
      columns: ['city', 'amount', 'column 3'],
      rows: [
        ['Rome', '1 2'],
        ['Oslo', '3', 'late'],
      ],
    },
  ]);
});

test('keeps lists and collections of JSON records, but no lists within them', async () => {
  const orders = [
    { id: 1, customer: { name: 'Ann' }, tags: ['a', 'b'], items: [{ sku: 1 }] },
    { id: 2, paid: true },
  ];
  const shops = { north: { rent: 5 }, south: { rent: 7 }, west: { rent: 9 } };
  assert.deepEqual(await tablesOf('a.json', JSON.stringify({ data: { orders }, shops })), [
    {
      name: 'data.orders',
      columns: ['id', 'customer.name', 'tags', 'paid'],
      rows: [
        ['1', 'Ann', 'a, b'],
        ['2', '', '', 'true'],
      ],
    },
    {
      name: 'shops',
      columns: ['key', 'rent'],
      rows: [
        ['north', '5'],
        ['south', '7'],
        ['west', '9'],
      ],
    },
  ]);
});

test('keeps all digits of the numbers of JSON', async () => {
  const [table] = await tablesOf('a.json', '[{"id":1234567890123456789,"price":1.10},{"id":2,"price":3}]');
  assert.deepEqual(table?.rows, [
    ['1234567890123456789', '1.10'],
    ['2', '3'],
  ]);
});

test('keeps the rows of each sheet under its name, with an empty cell where a row has none', async () => {
  const number = (cell: string, value: string) => `<c r="${cell}"><v>${value}</v></c>`;
  const rates = `${sheetRow('City', 'Note', 'Rate')}<row r="2">${number('A2', '1')}${number('C2', '12.5')}</row>`;
  const file = makeXlsx([
    { name: 'Rates', rows: rates },
    { name: 'Cities', rows: sheetRow('City', 'Land') + sheetRow('Bern', 'CH') },
  ]);
  assert.deepEqual(await tablesOf('a.xlsx', file), [
    { name: 'Rates', columns: ['City', 'Note', 'Rate'], rows: [['1', '', '12.5']] },
    { name: 'Cities', columns: ['City', 'Land'], rows: [['Bern', 'CH']] },
  ]);
});

test('keeps tables of texts under their headings, and none of PDF files, whose rows are only recognized', async () => {
  const markdown = '# Prices\n\n| item | price |\n|---|---|\n| pen | 2 |\n\nText | with a bar.\n';
  assert.deepEqual(await tablesOf('a.md', markdown), [
    { name: 'Prices', columns: ['item', 'price'], rows: [['pen', '2']] },
  ]);
  const row = (cells: readonly string[], y: number) =>
    cells.map((text, at) => ({ text, x: 60 + at * 150, y }));
  const page = {
    lines: [...row(['item', 'price'], 700), ...row(['pen', '2'], 680), ...row(['ink', '4'], 660)],
  };
  assert.deepEqual(await tablesOf('a.pdf', await drawPdf([page])), []);
});

test('keeps no table rather than a part of one', () => {
  const tables = new TableCollector();
  const table = tables.begin({ name: '', columns: ['a'], hasPlainNumbers: true });
  const cell = 'x'.repeat(TABLES_CHARACTERS_MAX / 2);
  for (const each of [cell, cell, 'y']) table.add([each]);
  assert.deepEqual(tables.finish(), []);
});
