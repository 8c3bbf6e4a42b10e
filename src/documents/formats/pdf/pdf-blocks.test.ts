// Tests how the lines of a page become headings, paragraphs and lists.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PARSE_LIMITS } from '../../limits.ts';
import { outline } from '../../testing/parsed.ts';
import { DocumentWriter } from '../../text/document-writer.ts';
import { writePdfLines } from './pdf-blocks.ts';
import type { PdfTextItem } from './pdf-direction.ts';
import { linesOf, type PdfLine } from './pdf-lines.ts';

/** Makes lines 14 points apart, unless positions are given. */
function lines(...given: readonly (Partial<PdfLine> & { readonly text: string })[]): PdfLine[] {
  return given.map((line, at) => ({ page: 1, size: 10, left: 50, right: 500, y: 700 - at * 14, ...line }));
}

function blocksOf(given: readonly PdfLine[]): string[] {
  const writer = new DocumentWriter(PARSE_LIMITS);
  writePdfLines(given, writer);
  return outline(writer.finish('pdf'));
}

test('joins lines that reach the margin, and keeps the line ends of short ones', () => {
  const given = lines({ text: 'filled to' }, { text: 'the margin', right: 200 }, { text: 'next line' });
  assert.deepEqual(blocksOf(given), ['paragraph: filled to the margin\nnext line']);
});

test('joins a hyphenated word', () => {
  assert.deepEqual(blocksOf(lines({ text: 'the south-' }, { text: 'ern coast' })), [
    'paragraph: the southern coast',
  ]);
});

test('begins a paragraph after a wider gap', () => {
  const given = lines({ text: 'one' }, { text: 'two' }, { text: 'three', y: 650 });
  assert.deepEqual(blocksOf(given), ['paragraph: one two', 'paragraph: three']);
});

test('begins a paragraph at an indented line that follows the end of a sentence', () => {
  const given = lines({ text: 'First ends here.' }, { text: 'Second', left: 65 }, { text: 'goes on' });
  assert.deepEqual(blocksOf(given), ['paragraph: First ends here.', 'paragraph: Second goes on']);
});

test('ranks headings by their size', () => {
  const given = lines(
    { text: 'Part', size: 16, y: 760 },
    { text: 'Chapter', size: 13, y: 730 },
    { text: 'body text that is longer than all of the headings together' },
  );
  assert.deepEqual(blocksOf(given).slice(0, 2), ['heading1: Part', 'heading2: Chapter']);
});

test('joins bullets into one list', () => {
  const given = lines({ text: '• one item' }, { text: 'that goes on', right: 100 }, { text: '• another' });
  assert.deepEqual(blocksOf(given), ['list: • one item that goes on\n• another']);
});

test('continues a sentence in the next column', () => {
  const given = lines(
    { text: 'begins in the left', y: 100 },
    { text: 'ends in the right', y: 700, left: 300 },
  );
  assert.equal(blocksOf(given).length, 1);
});

test('joins the pieces between two line ends into one line, and spans their positions', () => {
  const item = (str: string, x: number, hasEOL = false): PdfTextItem => ({
    str,
    transform: [10, 0, 0, 10, x, 700],
    width: 20,
    hasEOL,
  });
  const [line, ...rest] = linesOf(
    [item('ab', 50), item(' ', 70), item('cd', 75, true), item('', 0, true)],
    3,
  );
  assert.deepEqual(line, { text: 'ab cd', page: 3, size: 10, left: 50, right: 95, y: 700 });
  assert.equal(rest.length, 0);
});
