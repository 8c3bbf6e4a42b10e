// Tests what is read from Excel files, and from sheets that attack their reader.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeXlsx, sheetRow } from '../../testing/make-office.ts';
import { outline, parsed, refusedFor } from '../../testing/parsed.ts';

const STYLES =
  '<numFmts><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy\\ hh:mm"/><numFmt numFmtId="165" formatCode="[h]:mm:ss"/>' +
  '<numFmt numFmtId="166" formatCode="0.0&quot; days&quot;"/></numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs>' +
  [0, 14, 10, 164, 165, 166, 20].map((id) => `<xf numFmtId="${id}"/>`).join('') +
  '</cellXfs>';

async function outlineOf(file: Buffer): Promise<string[]> {
  return outline(await parsed('a.xlsx', file));
}

test('reads each shown sheet as a section, and each row with the names of its columns', async () => {
  const file = makeXlsx(
    [
      {
        name: 'Rates',
        rows:
          '<row><c r="A1" t="s"><v>0</v></c></row>' +
          '<row><c r="A3" t="s"><v>1</v></c><c r="C3" t="s"><v>2</v></c></row>' +
          '<row><c r="A4" t="inlineStr"><is><t>Rome</t></is></c><c r="B4"><v>7</v></c>' +
          '<c r="C4"><f>3*4</f><v>12</v></c></row>',
      },
      { name: 'Secret', rows: sheetRow('a', 'b'), state: 'veryHidden' },
      { name: 'Empty', rows: '' },
      { name: 'Cities', rows: sheetRow('City') + sheetRow('Oslo') + sheetRow('Bern') },
    ],
    {
      texts:
        '<si><t>Rates of 2024</t></si><si><r><t>Ci</t></r><r><t>ty</t></r><rPh><t>aid</t></rPh></si><si><t>Rate</t></si>',
    },
  );
  assert.deepEqual(await outlineOf(file), [
    'heading1: Rates',
    'paragraph: Rates of 2024',
    'row: City: Rome; column 2: 7; Rate: 12',
    'heading1: Cities',
    'row: City: Oslo',
    'row: City: Bern',
  ]);
});

test('shows dates, times, shares, truth values and sums as the sheet does', async () => {
  const cells = [
    '<c s="1"><v>45382</v></c>',
    '<c s="2"><v>0.125</v></c>',
    '<c s="3"><v>45382.604166666664</v></c>',
    '<c s="4"><v>1.5</v></c>',
    '<c s="5"><v>0.30000000000000004</v></c>',
    '<c s="6"><v>0.75</v></c>',
    '<c t="b"><v>1</v></c>',
    '<c t="e"><v>#N/A</v></c>',
    '<c s="1"><v>1</v></c>',
  ];
  const header = sheetRow(...'abcdefghi');
  const file = makeXlsx([{ name: 'S', rows: `${header}<row>${cells.join('')}</row>` }], { styles: STYLES });
  const shown =
    'a: 2024-03-31; b: 12.5%; c: 2024-03-31 14:30; d: 36:00; e: 0.3; f: 18:00; g: TRUE; h: #N/A; i: 1900-01-01';
  assert.deepEqual(await outlineOf(file), ['heading1: S', `row: ${shown}`]);
});

test('shows cells without a value as empty, whatever their type', async () => {
  for (const type of ['s', 'b', 'n', 'str', 'e']) {
    const cells = `<c r="A2"><v>1</v></c><c r="B2" t="${type}"/><c r="C2" t="${type}"><v> </v></c>`;
    const rows = `${sheetRow('a', 'b', 'c')}<row>${cells}</row>`;
    const file = makeXlsx([{ name: 'S', rows }], { texts: '<si><t>first</t></si>' });
    assert.deepEqual(await outlineOf(file), ['heading1: S', 'row: a: 1'], type);
  }
});

test('shows a moment right before midnight as midnight of the next day, as the sheet does', async () => {
  const cells = ['<c s="3"><v>45000.999999</v></c>', '<c s="6"><v>0.9999999999999996</v></c>'];
  const rows = `${sheetRow('a', 'b')}<row>${cells.join('')}</row>`;
  const file = makeXlsx([{ name: 'S', rows }], { styles: STYLES });
  assert.deepEqual(await outlineOf(file), ['heading1: S', 'row: a: 2023-03-16 00:00; b: 00:00']);
});

test('counts days from 1904 where the workbook says so', async () => {
  const rows = `${sheetRow('Day', 'x')}<row><c s="1"><v>0</v></c></row>`;
  const file = makeXlsx([{ name: 'S', rows }], { styles: STYLES, properties: '<workbookPr date1904="1"/>' });
  assert.deepEqual(await outlineOf(file), ['heading1: S', 'row: Day: 1904-01-01']);
});

test('names columns in a heading where names in each row would not fit', async () => {
  const rows = sheetRow('A long name of a column', 'x') + sheetRow('1', '2').repeat(20);
  const document = await parsed('a.xlsx', makeXlsx([{ name: 'S', rows }]), { charactersMax: 1_500 });
  assert.deepEqual(outline(document).slice(0, 3), [
    'heading1: S',
    'heading2: A long name of a column | x',
    'row: 1 | 2',
  ]);
});

test('limits what cells with one long text add up to', async () => {
  const texts = `<si><t>${'word '.repeat(1_000)}</t></si>`;
  const rows = `<row>${'<c t="s"><v>0</v></c>'.repeat(200)}</row>`;
  const file = makeXlsx([{ name: 'S', rows }], { texts });
  assert.equal(await refusedFor(parsed('a.xlsx', file, { charactersMax: 500_000 })), 'too-large');
});

test('takes cells far apart for what they are, and skips those beyond the last column', async () => {
  const rows = '<row><c r="A1"><v>1</v></c><c r="XFD1"><v>2</v></c><c r="ZZZ1"><v>3</v></c></row>';
  assert.deepEqual(await outlineOf(makeXlsx([{ name: 'S', rows }])), ['heading1: S', 'row: 1 | 2']);
});

test('refuses workbooks without cells, with broken sheets, and cut off', async () => {
  const whole = makeXlsx([{ name: 'S', rows: sheetRow('a', 'b') }]);
  assert.equal(await refusedFor(parsed('a.xlsx', makeXlsx([{ name: 'S', rows: '' }]))), 'empty');
  assert.equal(await refusedFor(parsed('a.xlsx', makeXlsx([{ name: 'S', rows: '<row><!--' }]))), 'corrupt');
  assert.equal(await refusedFor(parsed('a.xlsx', whole.subarray(0, whole.length - 30))), 'corrupt');
});
