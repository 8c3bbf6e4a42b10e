// Tests what is read from PDF files, including files that attack their reader.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PDFDocument } from 'pdf-lib';
import { blockText } from '../../document-model.ts';
import { PARSE_LIMITS } from '../../limits.ts';
import { encryptedPdf, makePdf, pdfClaiming, pdfRepeating, pdfWithoutText } from '../../testing/make-pdf.ts';
import { outline, parsed, refusedFor } from '../../testing/parsed.ts';
import { parsePdf } from './parse-pdf.ts';

const LONG =
  'The turbine hall was opened in the spring of the third year, after the river had been moved to its new bed, ' +
  'and it has been run without a pause ever since, which its builders had not dared to hope for when they began.';

test('joins wrapped lines into paragraphs, and detects headings by their size', async () => {
  const document = await parsed(
    'a.pdf',
    await makePdf([{ heading: 'The Dam', paragraphs: [LONG, 'Second.'] }]),
  );
  assert.deepEqual(outline(document), ['heading1: The Dam', `paragraph: ${LONG}`, 'paragraph: Second.']);
});

test('reports the page of every block', async () => {
  const pages = Array.from({ length: 12 }, (_, at) => ({ paragraphs: [`Fact ${at + 1} is here.`, LONG] }));
  const document = await parsed('a.pdf', await makePdf(pages));
  assert.equal(document.pageCount, 12);
  for (const block of document.blocks) {
    const fact = /Fact (\d+)/.exec(blockText(document, block));
    if (fact !== null) assert.equal(block.page, Number(fact[1]));
  }
  assert.equal(document.blocks.filter((block) => block.page === 7).length, 2);
});

test('refuses an encrypted file as encrypted', async () => {
  assert.equal(await refusedFor(parsed('a.pdf', await encryptedPdf())), 'encrypted');
});

test('refuses truncated, garbled and fake files as corrupt', async () => {
  const whole = await makePdf([{ paragraphs: [LONG] }]);
  const garbled = whole.map((byte, at) => (at > 20 && at % 7 === 0 ? byte ^ 0x55 : byte));
  assert.equal(await refusedFor(parsed('a.pdf', whole.subarray(0, 300))), 'corrupt');
  assert.equal(await refusedFor(parsed('a.pdf', garbled)), 'corrupt');
  assert.equal(await refusedFor(parsed('a.pdf', `%PDF-1.7\n${'garbage '.repeat(50)}`)), 'corrupt');
  assert.equal(await refusedFor(parsed('a.pdf', 'no PDF at all')), 'corrupt');
});

test('refuses pages without a text layer, and says why', async () => {
  assert.equal(await refusedFor(parsed('scan.pdf', await pdfWithoutText(3))), 'no-text');
});

test('counts pages of a scan as pages without text, also where their pictures are described', async () => {
  const described = [{ page: 2, text: 'Picture: a letter.' }];
  const document = await parsePdf(await pdfWithoutText(3), PARSE_LIMITS, described);
  assert.equal(document.text, 'Picture: a letter.');
  assert.deepEqual(document.textless, [1, 2, 3]);
});

test('neither runs nor reads the scripts and actions of a file', async () => {
  const file = await PDFDocument.load(await makePdf([{ paragraphs: ['Seen text.'] }]));
  file.addJavaScript('main', 'app.alert("script text")');
  const document = await parsed('a.pdf', await file.save());
  assert.equal(document.text, 'Seen text.');
});

test('ignores a claim of ten million pages, and reads only those that exist', async () => {
  const document = await parsed('a.pdf', await pdfClaiming(10_000_000, 3));
  assert.equal(document.pageCount, 3);
  assert.match(document.text, /page 3/);
});

test('refuses a file with too many pages before reading them', async () => {
  assert.equal(
    await refusedFor(parsed('a.pdf', await pdfRepeating(1_001), { pagesMax: 1_000 })),
    'too-many-pages',
  );
});

test('refuses a file with too much text', async () => {
  const pages = Array.from({ length: 5 }, () => ({ paragraphs: [LONG] }));
  assert.equal(await refusedFor(parsed('a.pdf', await makePdf(pages), { charactersMax: 500 })), 'too-large');
});
