// Tests which pictures are extracted from a PDF file, how they are normalized, and which text describes them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { degrees, PDFDocument, PDFName, PDFRawStream } from 'pdf-lib';
import { PARSE_LIMITS } from '../limits.ts';
import { parseDocument, picturesOf } from '../parse-document.ts';
import { encryptedPdf, makePdf, pdfRepeating } from '../testing/make-pdf.ts';
import { decodePng, gradient, pdfWithPictures } from '../testing/make-pictures.ts';
import { outline, parsed, refusedFor } from '../testing/parsed.ts';
import { encodePng } from './encode-png.ts';
import { pdfPictures } from './pdf-pictures.ts';
import { PICTURE_SIDE_PIXELS_MAX, type Picture } from './picture-model.ts';
import { shrinkPixels } from './shrink-pixels.ts';

async function picturesIn(bytes: Uint8Array): Promise<readonly Picture[]> {
  const { pictures, nextPage } = await pdfPictures(bytes, PARSE_LIMITS, { fromPage: 1 });
  assert.equal(nextPage, null);
  return pictures;
}

test('returns a picture with its page, its exact pixels and the caption below it', async () => {
  const pixels = gradient(64, 48, 7);
  const file = await pdfWithPictures([
    { lines: [{ text: 'No picture here.', y: 700 }] },
    {
      pictures: [{ ...pixels, y: 500 }],
      lines: [
        { text: 'Text above that is nearer than the caption.', y: 655 },
        { text: 'Figure 3: The dam from', y: 470 },
        { text: 'the south.', y: 457 },
        { text: 'Text that goes on elsewhere.', y: 420 },
      ],
    },
  ]);
  const [found, ...rest] = await picturesIn(file);
  assert.deepEqual([found?.page, found?.caption, rest.length], [2, 'Figure 3: The dam from the south.', 0]);
  assert.match(found?.pageText ?? '', /^Text above.*\nFigure 3/);
  assert.deepEqual(decodePng(found?.bytes ?? new Uint8Array()), pixels);
});

test('takes the nearest text where there is no caption, and none on a page without text', async () => {
  const near = { text: 'The old mill.', y: 480 };
  const beside = { text: 'Figure 9: in the other column', x: 400, y: 490 };
  const far = { text: 'Chapter seven', y: 800 };
  const picture = { ...gradient(40, 40), y: 500 };
  const pages = [[near, beside, far], [far], []].map((lines) => ({ pictures: [picture], lines }));
  const captions = (await picturesIn(await pdfWithPictures(pages))).map(({ caption }) => caption);
  assert.deepEqual(captions, ['The old mill.', 'Chapter seven', '']);
});

test('skips icons, pictures drawn as small as icons, and repetitions on a page', async () => {
  const file = await PDFDocument.create();
  const page = file.addPage([595, 842]);
  const icon = await file.embedPng(encodePng(gradient(20, 20)));
  const picture = await file.embedPng(encodePng(gradient(64, 64)));
  page.drawImage(icon, { x: 50, y: 50, width: 300, height: 300 });
  page.drawImage(picture, { x: 50, y: 50, width: 12, height: 12 });
  page.drawImage(picture, { x: 50, y: 500, width: 100, height: 100 });
  page.drawImage(picture, { x: 250, y: 500, width: 100, height: 100, rotate: degrees(30) });
  assert.equal((await picturesIn(await file.save())).length, 1);
});

test('skips damaged and oversized pictures, and returns the others of the page', async () => {
  const file = await PDFDocument.create();
  const page = file.addPage([595, 842]);
  const draw = (width: number, filter: string): void => {
    const details = { Type: 'XObject', Subtype: 'Image', Width: width, Height: width, Filter: filter };
    const dictionary = file.context.obj({ ...details, ColorSpace: 'DeviceRGB', BitsPerComponent: 8 });
    const name = page.node.newXObject(
      'Bad',
      file.context.register(PDFRawStream.of(dictionary, Buffer.from('junk'))),
    );
    const content = file.context.flateStream(`q 200 0 0 200 50 50 cm ${name} Do Q`);
    page.node.addContentStream(file.context.register(content));
  };
  for (const filter of ['DCTDecode', 'JPXDecode', 'JBIG2Decode', 'CCITTFaxDecode']) draw(100, filter);
  draw(100_000, 'FlateDecode');
  const good = await file.embedPng(encodePng(gradient(64, 64)));
  page.drawImage(good, { x: 300, y: 500, width: 100, height: 100 });
  assert.equal(page.node.Resources()?.has(PDFName.of('XObject')), true);
  const found = await picturesIn(await file.save());
  assert.ok(found.some(({ bytes }) => Buffer.from(bytes).equals(encodePng(gradient(64, 64)))));
});

test('refuses the same files for pictures as for text', async () => {
  assert.equal(await refusedFor(picturesIn(await encryptedPdf())), 'encrypted');
  assert.equal(
    await refusedFor(
      pdfPictures(await pdfRepeating(101), { ...PARSE_LIMITS, pagesMax: 100 }, { fromPage: 1 }),
    ),
    'too-many-pages',
  );
  const text = { name: 'a.txt', bytes: Buffer.from('x') };
  assert.deepEqual(await picturesOf(text, PARSE_LIMITS, { fromPage: 1 }), { pictures: [], nextPage: null });
});

test('returns all pictures over several batches', async () => {
  const shades = [1, 2, 3, 4, 5, 6, 7, 8];
  const file = await pdfWithPictures(
    shades.map((shade) => ({ pictures: [{ ...gradient(64, 64, shade), y: 500 }] })),
  );
  const pages: number[] = [];
  let batches = 0;
  for (let from: number | null = 1; from !== null; batches++) {
    const { pictures, nextPage } = await pdfPictures(file, PARSE_LIMITS, { fromPage: from, batchBytes: 500 });
    pages.push(...pictures.map(({ page }) => page));
    from = nextPage;
  }
  assert.deepEqual(pages, shades);
  assert.ok(batches > 1 && batches < shades.length);
});

test('adds descriptions of pictures to the text of their pages, even of scanned ones', async () => {
  const pictures = [
    { page: 1, text: 'Picture: a red mill.' },
    { page: 3, text: 'Picture: a map.' },
  ];
  const text = await makePdf([{ paragraphs: ['One.'] }, { paragraphs: ['Two.'] }]);
  const document = await parseDocument({ name: 'a.pdf', bytes: text }, PARSE_LIMITS, { pictures });
  assert.deepEqual(outline(document), [
    'paragraph: One.',
    'paragraph: Picture: a red mill.',
    'paragraph: Two.',
    'paragraph: Picture: a map.',
  ]);
  assert.deepEqual(
    document.blocks.map(({ page }) => page),
    [1, 1, 2, 3],
  );
  const scan = await pdfWithPictures([{ pictures: [{ ...gradient(64, 64), y: 500 }] }]);
  assert.equal(await refusedFor(parsed('a.pdf', scan)), 'no-text');
  const read = await parseDocument({ name: 'a.pdf', bytes: scan }, PARSE_LIMITS, {
    pictures: pictures.slice(0, 1),
  });
  assert.equal(read.text, 'Picture: a red mill.');
});

test('encodes pixels as PNG without loss', () => {
  const side = fc.integer({ min: 1, max: 20 });
  fc.assert(
    fc.property(side, side, fc.constantFrom(1, 3), fc.nat(), (width, height, channels: 1 | 3, seed) => {
      const data = new Uint8Array(width * height * channels).map(
        (_, at) => Math.imul(at + seed, 48_271) >> 4,
      );
      const pixels = { width, height, channels, data };
      assert.deepEqual(decodePng(encodePng(pixels)), pixels);
    }),
  );
});

test('shrinks large pictures by averaging, stores gray in one channel, and blends transparency with white', () => {
  const data = new Uint8Array([0, 0, 0, 100, 100, 100, 200, 200, 200, 100, 100, 100]);
  const gray = shrinkPixels({ width: 2, height: 2, kind: 2, data }, 1);
  assert.deepEqual(gray, { width: 1, height: 1, channels: 1, data: new Uint8Array([100]) });
  const clear = { width: 2, height: 1, kind: 3, data: new Uint8Array([9, 9, 9, 0, 255, 0, 0, 255]) };
  assert.deepEqual([...(shrinkPixels(clear, 5)?.data ?? [])], [255, 255, 255, 255, 0, 0]);
  const bits = { width: 4, height: 1, kind: 1, data: new Uint8Array([0b1010_0000]) };
  assert.deepEqual([...(shrinkPixels(bits, 4)?.data ?? [])], [255, 0, 255, 0]);
  const wide = shrinkPixels({ ...gradient(4_000, 10), kind: 2 }, PICTURE_SIDE_PIXELS_MAX);
  assert.deepEqual([wide?.width, wide?.height], [PICTURE_SIDE_PIXELS_MAX, 3]);
  assert.equal(shrinkPixels({ width: 9, height: 9, kind: 2, data }, 5), null, 'cut short');
});
