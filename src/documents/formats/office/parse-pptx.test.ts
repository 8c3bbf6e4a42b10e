// Tests what is read from PowerPoint files, and from archives and XML that attack their reader.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chunkDocument } from '../../chunks/chunk-document.ts';
import { makePptx, shape, slideTable, type TestSlide } from '../../testing/make-office.ts';
import { makeZip } from '../../testing/make-zip.ts';
import { outline, parsed, refusedFor } from '../../testing/parsed.ts';

const MEBIBYTE = 2 ** 20;
const TALK: readonly TestSlide[] = [
  {
    shapes: shape('Harbor plan', 'ctrTitle') + shape('For the council', 'subTitle'),
    notes: 'Greet everyone.\nStart on time.',
  },
  {
    shapes:
      shape('Gates open at dawn.\n  Not on holidays.', 'body') +
      shape('Opening &amp; closing', 'title') +
      shape('7', 'sldNum'),
  },
  {
    shapes:
      slideTable([
        ['Berth', 'Depth'],
        ['North', '12 m'],
        ['', ''],
      ]) + shape('Measured in May.'),
  },
];

function words(text: string): number {
  return text.split(/\s+/).length;
}

test('reads the slides of a PowerPoint file in their order, with titles, lists, tables and notes', async () => {
  const document = await parsed('a.pptx', makePptx(TALK));
  assert.deepEqual(outline(document), [
    'heading1: Harbor plan',
    'paragraph: For the council',
    'paragraph: Notes: Greet everyone.\nStart on time.',
    'heading1: Opening & closing',
    'list: - Gates open at dawn.\n  - Not on holidays.',
    'heading1: Slide 3',
    'table: Berth | Depth\nNorth | 12 m',
    'paragraph: Measured in May.',
  ]);
  assert.deepEqual([document.type, document.pageCount], ['pptx', 3]);
});

test('cites each passage of a PowerPoint file with its slide', async () => {
  const document = await parsed('a.pptx', makePptx(TALK));
  const chunks = [...chunkDocument(document, { tokensMax: 60, overlapTokensMax: 5, count: words })];
  assert.deepEqual(
    chunks.map(({ pages, headings }) => [pages, headings]),
    [
      [[1, 1], ['Harbor plan']],
      [[2, 2], ['Opening & closing']],
      [[3, 3], ['Slide 3']],
    ],
  );
  const found = chunks.find(({ start, end }) => document.text.slice(start, end).includes('12 m'));
  assert.deepEqual(
    found?.pageStarts?.map(({ page }) => page),
    [3],
  );
});

test('reads the first of several alternatives, and line breaks as such', async () => {
  const shapes =
    '<mc:AlternateContent><mc:Choice><p:sp><a:p><a:r><a:t>one</a:t></a:r><a:br/><a:r><a:t>two</a:t></a:r></a:p></p:sp>' +
    '</mc:Choice><mc:Fallback><p:sp><a:p><a:r><a:t>old</a:t></a:r></a:p></p:sp></mc:Fallback></mc:AlternateContent>';
  assert.deepEqual(outline(await parsed('a.pptx', makePptx([{ shapes }]))), [
    'heading1: Slide 1',
    'paragraph: one\ntwo',
  ]);
});

test('refuses entities that a part defines, and parts that nest too deeply or end early', async () => {
  const slide = (xml: string) =>
    makeZip([
      {
        name: 'ppt/presentation.xml',
        data: Buffer.from(xml),
      },
    ]);
  const bomb =
    '<!DOCTYPE p [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]><p:presentation>&b;</p:presentation>';
  assert.equal(await refusedFor(parsed('a.pptx', slide(bomb))), 'corrupt');
  assert.equal(await refusedFor(parsed('a.pptx', slide('<a>'.repeat(2_000)))), 'too-deep');
  assert.equal(await refusedFor(parsed('a.pptx', slide('<p:presentation><p:sldIdLst>'))), 'corrupt');
  assert.equal(await refusedFor(parsed('a.pptx', slide(''))), 'corrupt');
  const huge = makePptx([{ shapes: ' '.repeat(20 * MEBIBYTE) }]);
  assert.equal(await refusedFor(parsed('a.pptx', huge)), 'too-large');
});

test('refuses PowerPoint files without text, with too many slides, cut off, and of another type', async () => {
  const whole = makePptx(TALK);
  assert.equal(await refusedFor(parsed('a.pptx', makePptx([{ shapes: shape('3', 'sldNum') }]))), 'empty');
  assert.equal(await refusedFor(parsed('a.pptx', whole, { pagesMax: 2 })), 'too-many-pages');
  assert.equal(await refusedFor(parsed('a.pptx', whole.subarray(0, 400))), 'corrupt');
  assert.equal(await refusedFor(parsed('a.pptx', 'plain text')), 'corrupt');
  assert.equal(await refusedFor(parsed('a.xlsx', whole)), 'corrupt');
  const secret = makeZip([{ name: 'ppt/presentation.xml', data: Buffer.from('x'), encrypted: true }]);
  assert.equal(await refusedFor(parsed('a.pptx', secret)), 'encrypted');
});
