// Tests which tables of files are kept with all their rows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawPdf } from '../testing/draw-pdf.ts';
import { makePptx, makeXlsx, shape, sheetRow } from '../testing/make-office.ts';
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

test('keeps the rows of CSV, those with fewer cells than names included', async () => {
  assert.deepEqual(await tablesOf('a.csv', 'city,amount,note\nRome,"1\n2"\n\nOslo,3,late\n,,\n'), [
    {
      name: '',
      columns: ['city', 'amount', 'note'],
      rows: [
        ['Rome', '1 2'],
        ['Oslo', '3', 'late'],
      ],
    },
  ]);
});

test('keeps no table of CSV with a value beyond the names of columns: its cells may have shifted', async () => {
  for (const csv of [
    'Umsatz\n1,5\n2,5\n',
    'city,amount\nRome,1\nOslo,1,500\nBern,2\n',
    'city,amount,\nOslo,1,500\n',
    'amount,\n,1,500\n',
    'city,amount,note\nRome,1,\nOslo,1,500,\n',
    'city,amount,note\nOslo,1,500,\nRome,1,\n',
  ]) {
    assert.deepEqual(await tablesOf('a.csv', csv), [], csv);
  }
  for (const csv of ['city,amount\nRome,1,\n,,,\nOslo,2,\n', ',amount\nRome,1\nOslo,2\n']) {
    assert.deepEqual((await tablesOf('a.csv', csv))[0]?.rows, [
      ['Rome', '1'],
      ['Oslo', '2'],
    ]);
  }
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

const REGIONS = [
  ['Region', 'City', 'Sales'],
  ['Europe', 'Rome', '10'],
  ['', 'Oslo', '20'],
  ['', 'Bern', '30'],
  ['Asia', 'Seoul', '40'],
] as const;

function regionRows(region: string): string {
  const [names, ...rows] = REGIONS;
  const lines = rows.map(([first, city, sales]) => {
    const cell = first === '' ? '<c/>' : `<c t="inlineStr"><is><t>${first}</t></is></c>`;
    return `<row>${cell}<c t="inlineStr"><is><t>${city}</t></is></c><c><v>${sales}</v></c></row>`;
  });
  return (sheetRow(...names) + lines.join('')).replace('Europe', region);
}

test('gives each row of a sheet the text that is merged over it', async () => {
  const sheet = { name: 'S', rows: regionRows('Europe'), merged: ['A2:A4'] };
  const [table] = await tablesOf('a.xlsx', makeXlsx([sheet]));
  assert.deepEqual(table?.rows, [
    ['Europe', 'Rome', '10'],
    ['Europe', 'Oslo', '20'],
    ['Europe', 'Bern', '30'],
    ['Asia', 'Seoul', '40'],
  ]);
  const beside = { ...sheet, merged: ['B1:C1', 'A5:B5'] };
  assert.deepEqual((await tablesOf('a.xlsx', makeXlsx([beside])))[0]?.rows.at(1), ['', 'Oslo', '20']);
});

test('keeps no table of a sheet with a number merged over rows, or a name of a column merged with them', async () => {
  for (const [region, range] of [
    ['300', 'A2:A4'],
    ['EUR 300', 'A2:A4'],
    ['5 kg', 'A2:A4'],
    ['Europe', 'A1:A2'],
  ] as const) {
    const sheet = { name: 'S', rows: regionRows(region), merged: [range] };
    assert.deepEqual(await tablesOf('a.xlsx', makeXlsx([sheet])), [], `${region} in ${range}`);
  }
});

test('keeps no table of texts with cells that are merged over rows', async () => {
  const all = REGIONS.map(([region, city, sales]) => [city, region, sales]);
  const slide = (merged: string) => {
    const cell = (text: string) => {
      const mark = text === '' ? merged : '';
      return `<a:tc${mark}><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`;
    };
    const rows = all.map((row) => `<a:tr>${row.map(cell).join('')}</a:tr>`).join('');
    const shapes = `${shape('T', 'title')}<p:graphicFrame><a:tbl>${rows}</a:tbl></p:graphicFrame>`;
    return makePptx([{ shapes }]);
  };
  const rtf = (merged: string) => {
    const rows = all.map((row) => {
      const definitions = row.map((text, at) => `${text === '' ? merged : ''}\\cellx${at + 1}000`).join('');
      return `\\trowd${definitions}\\intbl ${row.map((text) => `${text}\\cell`).join(' ')}\\row`;
    });
    return `{\\rtf1 ${rows.join('\n')}\\pard End\\par}`;
  };
  const html = (merged: string) =>
    '<table><tr><th>Region</th><th colspan="2">Sales</th></tr>' +
    `<tr><td${merged}>Europe</td><td colspan="2">10</td></tr><tr><td>Rome</td><td>20</td></tr></table>`;
  for (const [name, whole, merged] of [
    ['a.pptx', slide(''), slide(' vMerge="1"')],
    ['a.rtf', rtf(''), rtf('\\clvmrg')],
    ['a.html', html(''), html(' rowspan="2"')],
  ] as const) {
    assert.equal((await tablesOf(name, whole)).length, 1, name);
    assert.deepEqual(await tablesOf(name, merged), [], name);
  }
});

test('keeps no table rather than a part of one', () => {
  const tables = new TableCollector();
  const table = tables.begin({ name: '', columns: ['a'], hasPlainNumbers: true });
  const cell = 'x'.repeat(TABLES_CHARACTERS_MAX / 2);
  for (const each of [cell, cell, 'y']) table.add([each]);
  assert.deepEqual(tables.finish(), []);
});
