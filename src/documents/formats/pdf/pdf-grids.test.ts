// Tests text side by side on a page: columns are read one after the other, tables row by row.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { degrees, PDFDocument, type PDFFont, type PDFPage, StandardFonts } from 'pdf-lib';
import { outline, parsed } from '../../testing/parsed.ts';

async function outlineOf(draw: (page: PDFPage, font: PDFFont) => void): Promise<string[]> {
  const file = await PDFDocument.create();
  const font = await file.embedFont(StandardFonts.TimesRoman);
  draw(file.addPage([595, 842]), font);
  return outline(await parsed('a.pdf', await file.save()));
}

const LEFT = [
  'The left column begins with',
  'a sentence about herons that',
  'goes on for several lines of',
  'text.',
];
const RIGHT = ['The right column is about', 'moles, which dig tunnels in', 'the ground and never see it.'];

test('reads columns one after the other even if the file draws them line by line', async () => {
  const found = await outlineOf((page, font) => {
    page.drawText('A heading over both columns, as wide as the page of text is', {
      x: 60,
      y: 740,
      size: 16,
      font,
    });
    for (const [at, text] of LEFT.entries()) page.drawText(text, { x: 60, y: 700 - at * 14, size: 11, font });
    for (const [at, text] of RIGHT.entries())
      page.drawText(text, { x: 320, y: 700 - at * 14, size: 11, font });
  });
  assert.equal(found.length, 3);
  assert.match(found[1] ?? '', /^paragraph: The left column .* several lines of text\.$/);
  assert.match(found[2] ?? '', /^paragraph: The right column .* never see it\.$/);
});

test('reads columns one after the other when their lines are drawn in turn', async () => {
  const found = await outlineOf((page, font) => {
    for (let at = 0; at < LEFT.length; at++) {
      page.drawText(LEFT[at] ?? '', { x: 60, y: 700 - at * 14, size: 11, font });
      page.drawText(RIGHT[at] ?? '', { x: 320, y: 700 - at * 14, size: 11, font });
    }
  });
  assert.deepEqual(found, [`paragraph: ${LEFT.join(' ')}`, `paragraph: ${RIGHT.join(' ')}`]);
});

test('reads a table without borders as rows of cells, and keeps the text around it', async () => {
  const rows = [
    ['Name', 'Price', 'In stock'],
    ['Heron', '12.50', '3'],
    ['Mole', '7.00', '14'],
  ];
  const found = await outlineOf((page, font) => {
    page.drawText('Prices are in crowns and hold until the end of the year.', {
      x: 60,
      y: 760,
      size: 11,
      font,
    });
    for (const [row, cells] of rows.entries()) {
      for (const [at, text] of cells.entries())
        page.drawText(text, { x: 60 + at * 150, y: 700 - row * 18, size: 11, font });
    }
    page.drawText('Ask for others.', { x: 60, y: 600, size: 11, font });
  });
  assert.deepEqual(found, [
    'paragraph: Prices are in crowns and hold until the end of the year.',
    'row: Name: Heron; Price: 12.50; In stock: 3',
    'row: Name: Mole; Price: 7.00; In stock: 14',
    'paragraph: Ask for others.',
  ]);
});

test('reads rotated text line by line', async () => {
  const lines = ['Rotated text goes upwards', 'along the left margin of', 'the landscape page.'];
  const found = await outlineOf((page, font) => {
    for (const [at, text] of lines.entries()) {
      page.drawText(text, { x: 100 + at * 14, y: 100, size: 11, font, rotate: degrees(90) });
    }
  });
  assert.deepEqual(found, [`paragraph: ${lines.join(' ')}`]);
});
