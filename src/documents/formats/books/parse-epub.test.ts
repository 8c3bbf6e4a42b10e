// Tests what is read from EPUB books, and from archives that attack their reader.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chunkDocument } from '../../chunks/chunk-document.ts';
import { xmlPart } from '../../testing/make-office.ts';
import { makeZip, type ZipPart } from '../../testing/make-zip.ts';
import { outline, parsed, refusedFor } from '../../testing/parsed.ts';

const MEBIBYTE = 2 ** 20;

function chapter(body: string, title = 'The harbor'): string {
  return `<!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title>${title}</title></head><body>${body}</body></html>`;
}

/** @param chapters the XHTML of each by its path in the archive, in reading order */
function epub(chapters: Readonly<Record<string, string>>, more: readonly ZipPart[] = []): Buffer {
  const paths = Object.keys(chapters);
  const items = paths.map(
    (path, at) => `<item id="c${at}" href="${encodeURIComponent(path)}" media-type="application/xhtml+xml"/>`,
  );
  const order = paths.map((_, at) => `<itemref idref="c${at}"/>`);
  const metadata =
    '<metadata><dc:title>The harbor</dc:title><dc:creator>A. Pilot</dc:creator><dc:creator>B. Mate</dc:creator></metadata>';
  const nav = '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>';
  return makeZip([
    { name: 'mimetype', data: Buffer.from('application/epub+zip') },
    xmlPart(
      'META-INF/container.xml',
      '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
    ),
    xmlPart(
      'OPS/book.opf',
      `<package>${metadata}<manifest>${items.join('')}${nav}</manifest><spine><itemref idref="nav"/>${order.join('')}</spine></package>`,
    ),
    xmlPart('OPS/nav.xhtml', chapter('<nav>Contents</nav>')),
    ...paths.map((path) => xmlPart(`OPS/${path}`, chapters[path] ?? '')),
    ...more,
  ]);
}

const BOOK = {
  'z last.xhtml': chapter(
    '<h1>Tides</h1><p>High&nbsp;water &amp; low water.</p><script src="x"/><p/><p>Twice a day.</p>',
  ),
  'a.xhtml': chapter('<p>The pilot comes aboard.</p>', 'Pilots'),
  'b.xhtml': chapter('<p>And leaves again.</p>'),
};

test('reads the chapters of an EPUB book as sections, in reading order', async () => {
  const document = await parsed('a.epub', epub(BOOK));
  assert.deepEqual(outline(document), [
    'heading1: The harbor',
    'paragraph: A. Pilot, B. Mate',
    'heading1: Tides',
    'paragraph: High water & low water.',
    'paragraph: Twice a day.',
    'heading1: Pilots',
    'paragraph: The pilot comes aboard.',
    'paragraph: And leaves again.',
  ]);
  const options = { tokensMax: 60, overlapTokensMax: 0, count: (text: string) => text.length / 4 };
  const found = [...chunkDocument(document, options)].find(({ start, end }) =>
    document.text.slice(start, end).includes('leaves'),
  );
  assert.deepEqual(found?.headings, ['Pilots']);
});

test('reads books whose fonts are scrambled, and refuses those whose text is encrypted', async () => {
  const encrypted = (algorithm: string) =>
    epub(BOOK, [
      xmlPart(
        'META-INF/encryption.xml',
        `<encryption><enc:EncryptedData><enc:EncryptionMethod Algorithm="${algorithm}"/></enc:EncryptedData></encryption>`,
      ),
    ]);
  const fonts = await parsed('a.epub', encrypted('http://www.idpf.org/2008/embedding'));
  assert.equal(fonts.blocks.length, 8);
  const text = encrypted('http://www.w3.org/2001/04/xmlenc#aes256-cbc');
  assert.equal(await refusedFor(parsed('a.epub', text)), 'encrypted');
});

test('refuses books that are damaged, of another kind, nested too deeply, or a bomb', async () => {
  assert.equal(await refusedFor(parsed('a.epub', epub(BOOK).subarray(0, 300))), 'corrupt');
  assert.equal(await refusedFor(parsed('a.epub', makeZip([xmlPart('content.xml', '<a/>')]))), 'corrupt');
  const deep = chapter('<div>'.repeat(1_500));
  assert.equal(await refusedFor(parsed('a.epub', epub({ 'a.xhtml': deep }))), 'too-deep');
  const bomb = chapter(' '.repeat(20 * MEBIBYTE));
  assert.equal(await refusedFor(parsed('a.epub', epub({ 'a.xhtml': bomb }))), 'too-large');
});
