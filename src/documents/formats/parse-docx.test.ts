// Tests what is read from Word files, and from archives that attack their reader.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  Document,
  FootnoteReferenceRun,
  HeadingLevel,
  Packer,
  PageBreak,
  Paragraph,
  Table,
  TableCell,
  TableRow,
  TextRun,
} from 'docx';
import { makeZip } from '../testing/make-zip.ts';
import { outline, parsed, refusedFor } from '../testing/parsed.ts';

const MEBIBYTE = 2 ** 20;
const TYPES = Buffer.from(
  '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">' +
    '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
);
const RELATIONS = Buffer.from(
  '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">' +
    '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
);

function docx(body: string | Buffer, claimedBytes?: number): Buffer {
  const data = typeof body === 'string' ? Buffer.from(wordXml(body)) : body;
  return makeZip([
    { name: '[Content_Types].xml', data: TYPES },
    { name: '_rels/.rels', data: RELATIONS },
    { name: 'word/document.xml', data, ...(claimedBytes !== undefined && { claimedBytes }) },
  ]);
}

function wordXml(body: string, prolog = ''): string {
  return `<?xml version="1.0"?>${prolog}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`;
}

function cell(text: string): TableCell {
  return new TableCell({ children: [new Paragraph(text)] });
}

async function handbook(): Promise<Buffer> {
  const children = [
    new Paragraph({ text: 'Handbook', heading: HeadingLevel.TITLE }),
    new Paragraph({ text: 'Leave', heading: HeadingLevel.HEADING_1 }),
    new Paragraph('Everyone has 30 days. 👩‍🚀 Cafe\u0301.'),
    new Paragraph({ text: 'Rates', heading: HeadingLevel.HEADING_2 }),
    new Table({
      rows: [
        new TableRow({ children: [cell('City'), cell('Rate')] }),
        new TableRow({ children: [cell('Rome'), cell('12')] }),
      ],
    }),
    new Paragraph({ text: 'first', bullet: { level: 0 } }),
    new Paragraph({ text: 'nested', bullet: { level: 1 } }),
    new Paragraph({ children: [new PageBreak(), new TextRun('On the next page.')] }),
  ];
  return Packer.toBuffer(new Document({ sections: [{ children }] }));
}

test('keeps headings, tables, lists and pages of a Word file', async () => {
  const document = await parsed('a.docx', await handbook());
  assert.deepEqual(outline(document), [
    'heading1: Handbook',
    'heading1: Leave',
    'paragraph: Everyone has 30 days. 👩‍🚀 Café.',
    'heading2: Rates',
    'table: City | Rate\nRome | 12',
    'list: - first\n  - nested',
    'paragraph: On the next page.',
  ]);
  assert.deepEqual(
    [document.pageCount, document.blocks.at(0)?.page, document.blocks.at(-1)?.page],
    [2, 1, 2],
  );
});

test('prefers the page breaks of the stored layout to those that the author inserted', async () => {
  const body =
    '<w:p><w:r><w:t>one</w:t></w:r></w:p><w:p><w:r><w:br w:type="page"/></w:r></w:p>' +
    '<w:p><w:r><w:lastRenderedPageBreak/><w:t>two</w:t></w:r></w:p>';
  const document = await parsed('a.docx', docx(body));
  assert.deepEqual([document.blocks.map((block) => block.page), document.pageCount], [[1, 2], 2]);
});

test('refuses a part with an extreme compression ratio before decompressing it', async () => {
  assert.equal(await refusedFor(parsed('a.docx', docx(Buffer.alloc(20 * MEBIBYTE, ' ')))), 'too-large');
});

test('refuses a part that decompresses to more than it claims', async () => {
  assert.equal(await refusedFor(parsed('a.docx', docx(Buffer.alloc(20 * MEBIBYTE, ' '), 5_000))), 'corrupt');
});

test('limits the total size of all parts', async () => {
  const file = docx('<w:p/>'.repeat(1000));
  assert.equal(await refusedFor(parsed('a.docx', file, { unpackedBytesMax: 2_000 })), 'too-large');
});

test('expands no entities, neither external nor nested ones', async () => {
  const prolog =
    '<!DOCTYPE w [<!ENTITY f SYSTEM "file:///etc/hostname"><!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>';
  const xml = wordXml('<w:p><w:r><w:t>before &f; &b; after</w:t></w:r></w:p>', prolog);
  const text = await parsed('a.docx', docx(Buffer.from(xml))).then(
    (document) => document.text,
    (error: unknown) => String(error),
  );
  assert.ok(!text.includes('aaaaaaaaaa'), text);
});

test('refuses truncated, encrypted and other archives', async () => {
  const whole = await handbook();
  const secret = makeZip([{ name: 'word/document.xml', data: Buffer.from('x'), encrypted: true }]);
  const sheet = makeZip([{ name: 'xl/workbook.xml', data: Buffer.from('x') }]);
  assert.equal(await refusedFor(parsed('a.docx', sheet)), 'corrupt');
  assert.equal(await refusedFor(parsed('a.docx', secret)), 'encrypted');
  assert.equal(await refusedFor(parsed('a.docx', whole.subarray(0, whole.length - 50))), 'corrupt');
  assert.equal(await refusedFor(parsed('a.docx', whole.subarray(0, 300))), 'corrupt');
  assert.equal(await refusedFor(parsed('a.docx', docx(Buffer.from('<w:document')))), 'corrupt');
  assert.equal(await refusedFor(parsed('a.docx', docx(''))), 'empty');
});

test('appends footnotes without their back links, and keeps the levels of lists', async () => {
  const document = new Document({
    footnotes: { 1: { children: [new Paragraph('The footnote says 42.')] } },
    sections: [
      {
        children: [
          new Paragraph({
            children: [new TextRun('Main text'), new FootnoteReferenceRun(1), new TextRun('.')],
          }),
          new Paragraph({ text: 'outer', bullet: { level: 0 } }),
          new Paragraph({ text: 'inner', bullet: { level: 1 } }),
        ],
      },
    ],
  });
  assert.deepEqual(outline(await parsed('a.docx', await Packer.toBuffer(document))), [
    'paragraph: Main text[1].',
    'list: - outer\n  - inner',
    'list: The footnote says 42.',
  ]);
});
