// The regions of passages on PDF pages, against the positions at which test files draw their text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { degrees, PDFDocument, type PDFFont, type PDFPage, StandardFonts } from 'pdf-lib';
import type { PlacedPassage } from '../../domain/assistants/passages.ts';
import { PARSE_LIMITS } from '../limits.ts';
import { pdfRegions } from './pdf-regions.ts';

const SIZE = 12;
/** Points by which a region may miss: characters are taken to be equally wide. */
const NEAR = 12;

async function pdf(draw: (page: PDFPage, font: PDFFont, file: PDFDocument) => void): Promise<Uint8Array> {
  const file = await PDFDocument.create();
  const font = await file.embedFont(StandardFonts.Helvetica);
  draw(file.addPage([400, 600]), font, file);
  return file.save();
}

function regions(bytes: Uint8Array, passage: Partial<PlacedPassage> & { readonly text: string }) {
  return pdfRegions(bytes, PARSE_LIMITS, [{ before: '', pages: [1], ...passage }]);
}

function assertNear(actual: number | undefined, expected: number, what: string): void {
  assert.ok(Math.abs((actual ?? Number.NaN) - expected) <= NEAR, `${what}: ${actual}, not ${expected}`);
}

test('gives the rectangle of a part of a line, from the upper left corner', async () => {
  const before = 'The canal opened in 1832. ';
  const text = 'It has seven locks.';
  let [left, width] = [0, 0];
  const bytes = await pdf((page, font) => {
    page.drawText(before + text, { x: 50, y: 500, size: SIZE, font });
    left = 50 + font.widthOfTextAtSize(before, SIZE);
    width = font.widthOfTextAtSize(text, SIZE);
  });
  const { regions: found, layouts } = await regions(bytes, { text });
  assert.equal(found[0]?.length, 1);
  const [region] = found[0] ?? [];
  assertNear(region?.x, left, 'left');
  assertNear(region?.width, width, 'width');
  assert.ok(region !== undefined && region.y < 100 && region.y + region.height > 100);
  assert.ok(region.height >= SIZE * 0.8 && region.height <= SIZE * 1.6, `${region.height}`);
  assert.deepEqual(
    layouts.map(({ page, width: w, height, texts }) => [page, w, height, texts.map((each) => each.text)]),
    [[1, 400, 600, [before + text]]],
  );
});

test('gives a rectangle for each line, on each page, without the running head between them', async () => {
  const bytes = await pdf((page, font, file) => {
    page.drawText('The pump is started by the green button, and', { x: 50, y: 80, size: SIZE, font });
    page.drawText('stopped by the red one at its side, unless the', { x: 50, y: 64, size: SIZE, font });
    const next = file.addPage([400, 600]);
    next.drawText('Handbook of pumps', { x: 50, y: 570, size: SIZE, font });
    next.drawText('supply of water has ended before.', { x: 50, y: 540, size: SIZE, font });
  });
  const text =
    'The pump is started by the green button, and stopped by the red one at its side, unless the supply of water has ended before.';
  const { regions: found } = await regions(bytes, { text, pages: [1, 2] });
  const tops = [520, 536, 60].map((baseline) => baseline - SIZE);
  assert.deepEqual(
    found[0]?.map(({ page, x }) => [page, x]),
    [
      [1, 50],
      [1, 50],
      [2, 50],
    ],
  );
  for (const [at, top] of tops.entries()) assertNear(found[0]?.[at]?.y, top, 'top');
});

test('counts from the corner of a page as it is shown, turned and cropped', async () => {
  const text = 'The valve is made of brass.';
  const turned = await pdf((page, font) => {
    page.setRotation(degrees(90));
    page.drawText(text, { x: 380, y: 300, size: SIZE, font, rotate: degrees(90) });
  });
  const { regions: shown, layouts } = await regions(turned, { text });
  assert.deepEqual([layouts[0]?.width, layouts[0]?.height], [600, 400]);
  const [region] = shown[0] ?? [];
  assert.ok(region !== undefined && region.width > region.height * 5);
  const cropped = await pdf((page, font) => {
    page.setCropBox(40, 100, 300, 420);
    page.drawText(text, { x: 50, y: 500, size: SIZE, font });
  });
  const { regions: inside, layouts: pages } = await regions(cropped, { text });
  assert.deepEqual([pages[0]?.width, pages[0]?.height], [300, 420]);
  assert.equal(inside[0]?.[0]?.x, 10);
  assertNear(inside[0]?.[0]?.y, 8, 'top');
});

test('gives nothing for what the page does not say, and for pages that do not exist', async () => {
  const bytes = await pdf((page, font) => page.drawText('Seven locks.', { x: 50, y: 500, size: SIZE, font }));
  const nothing = await regions(bytes, { text: 'Ada Holm painted the lighthouse', pages: [0, 1, 9] });
  assert.deepEqual(nothing.regions, [[]]);
});
