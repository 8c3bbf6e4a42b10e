// Tests what is read from RTF files, whole and broken ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outline, parsed, refusedFor } from '../../testing/parsed.ts';

const HANDBOOK = String.raw`{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss Arial;}{\f1\fcharset204 Arial Cyr;}{\f2\fcharset128 MS Gothic;}}
{\colortbl;\red0\green0\blue0;}{\stylesheet{\s1 heading 1;}}{\info{\title Hidden title}}{\header Page head\par}
\pard\outlinelevel0 Leave\par
\pard Everyone has 30\~days{\footnote\pard Or more.\par}.\line Caf\'e9 \u8364?10 \{net\}{\v secret}.\par
\pard {\f1 \'cf\'f0\'e8\'e2\'e5\'f2} {\f2\'93\'fa\'96\'7b}\par
\pard{\listtext\'b7\tab}\ls1\ilvl0 first\par{\listtext\'b7\tab}\ilvl1 nested\par
\pard\page\trowd\intbl City\cell Rate\cell\row\trowd\intbl Rome\cell 12\par crowns\cell\row
\pard {\*\unknown skipped}{\pict\pngblip 89504e47}End\bin3 abc.\par}`;

test('keeps headings, lists, tables, notes and pages of an RTF file, in any encoding', async () => {
  const document = await parsed('a.rtf', HANDBOOK);
  assert.deepEqual(outline(document), [
    'heading1: Leave',
    'paragraph: Everyone has 30\u00A0days [Or more.].\nCafé €10 {net}.',
    'paragraph: Привет 日本',
    'list: - first\n  - nested',
    'table: City | Rate\nRome | 12 crowns',
    'paragraph: End.',
  ]);
  assert.deepEqual(
    [document.pageCount, document.blocks.at(3)?.page, document.blocks.at(-1)?.page],
    [2, 1, 2],
  );
});

test('joins Unicode signs of two units, and skips what repeats them', async () => {
  const file = String.raw`{\rtf1\uc2 \u-10179\'3f\'3f\u-8704 ?? and {\uc0\u233 }t\'e9\par}`;
  assert.deepEqual(outline(await parsed('a.rtf', file)), ['paragraph: \u{1F600} and été']);
});

test('refuses RTF that is cut off, nested too deeply, without text, or not RTF', async () => {
  assert.equal(await refusedFor(parsed('a.rtf', HANDBOOK.slice(0, 400))), 'corrupt');
  assert.equal(await refusedFor(parsed('a.rtf', `{\\rtf1${'{'.repeat(5_000)}`)), 'too-deep');
  assert.equal(await refusedFor(parsed('a.rtf', '{\\rtf1{\\pict 00}}\0\0')), 'empty');
  assert.equal(await refusedFor(parsed('a.rtf', '{\\rtf1 a}}')), 'corrupt');
  assert.equal(await refusedFor(parsed('a.rtf', 'plain text')), 'corrupt');
});
