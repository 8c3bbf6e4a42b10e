// Tests what is read from OpenDocument texts, and from archives that attack their reader.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chunkDocument } from '../../chunks/chunk-document.ts';
import { xmlPart } from '../../testing/make-office.ts';
import { makeZip } from '../../testing/make-zip.ts';
import { outline, parsed, refusedFor } from '../../testing/parsed.ts';

const SPACE = 'urn:oasis:names:tc:opendocument:xmlns';

function odt(body: string, prolog = ''): Buffer {
  const content =
    `${prolog}<office:document-content xmlns:office="${SPACE}:office:1.0" xmlns:text="${SPACE}:text:1.0" ` +
    `xmlns:table="${SPACE}:table:1.0"><office:body><office:text>${body}</office:text></office:body></office:document-content>`;
  return makeZip([
    { name: 'mimetype', data: Buffer.from('application/vnd.oasis.opendocument.text') },
    xmlPart('META-INF/manifest.xml', '<manifest:manifest/>'),
    xmlPart('content.xml', content),
  ]);
}

function cells(...texts: readonly string[]): string {
  const row = texts.map((text) => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`);
  return `<table:table-row>${row.join('')}</table:table-row>`;
}

const HANDBOOK =
  '<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>' +
  '<text:h text:outline-level="1">Leave</text:h>' +
  '<text:p>Everyone has<text:s text:c="9"/>30 days<text:note><text:note-citation>1</text:note-citation>' +
  '<text:note-body><text:p>Or more.</text:p></text:note-body></text:note>.<text:line-break/>Ask early.</text:p>' +
  '<text:list><text:list-item><text:p>first</text:p><text:list><text:list-item><text:p>nested</text:p>' +
  '</text:list-item></text:list></text:list-item></text:list>' +
  '<text:soft-page-break/><text:h text:outline-level="2">Rates</text:h>' +
  `<table:table>${cells('City', 'Rate')}${cells('Rome', '12')}</table:table>`;

test('keeps headings, lists, tables, notes and pages of an OpenDocument text', async () => {
  const document = await parsed('a.odt', odt(HANDBOOK));
  assert.deepEqual(outline(document), [
    'heading1: Leave',
    'paragraph: Everyone has 30 days [Or more.].\nAsk early.',
    'list: - first\n  - nested',
    'heading2: Rates',
    'table: City | Rate\nRome | 12',
  ]);
  assert.deepEqual([document.pageCount, document.blocks.map(({ page }) => page)], [2, [1, 1, 1, 2, 2]]);
  const options = { tokensMax: 40, overlapTokensMax: 0, count: (text: string) => text.length / 4 };
  const found = [...chunkDocument(document, options)].find(({ start, end }) =>
    document.text.slice(start, end).includes('Rome'),
  );
  assert.equal(found?.pageStarts?.at(-1)?.page, 2);
});

test('refuses OpenDocument texts that are encrypted, damaged, of another kind, empty or a bomb', async () => {
  const secret = makeZip([
    xmlPart(
      'META-INF/manifest.xml',
      '<m:manifest><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>',
    ),
    { name: 'content.xml', data: Buffer.from('\u0001\u0002') },
  ]);
  assert.equal(await refusedFor(parsed('a.odt', secret)), 'encrypted');
  assert.equal(await refusedFor(parsed('a.odt', odt(HANDBOOK).subarray(0, 200))), 'corrupt');
  const sheet = makeZip([xmlPart('content.xml', '<office:spreadsheet/>')]);
  assert.equal(await refusedFor(parsed('a.odt', sheet)), 'corrupt');
  assert.equal(await refusedFor(parsed('a.odt', odt(''))), 'empty');
  const bomb = odt('<text:p>&b;</text:p>', '<!DOCTYPE d [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>');
  assert.equal(await refusedFor(parsed('a.odt', bomb)), 'corrupt');
  const deep = odt(`${'<text:list>'.repeat(1_500)}${'</text:list>'.repeat(1_500)}`);
  assert.equal(await refusedFor(parsed('a.odt', deep)), 'too-deep');
});
