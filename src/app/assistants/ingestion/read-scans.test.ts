// Tests that pages without text are read where that is set up, and only these.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChunkedDocument, ParseOptions } from '../../../documents/port.ts';
import { refusal } from '../../../documents/refusal.ts';
import { chunkWithScans } from './read-scans.ts';

const INPUT = { name: 'scan.pdf', bytes: Buffer.from('') };
const { signal } = new AbortController();

/** A file of three pages, of which some have text; the picture of each page says its number. */
function fileWith(
  textOn: readonly number[],
  scanReader = { read: async (png: Uint8Array) => `page ${png[0]}` },
) {
  const calls: string[] = [];
  const parser = {
    chunk: async (_: unknown, { pictures = [] }: ParseOptions = {}): Promise<ChunkedDocument> => {
      calls.push(`chunk ${pictures.map(({ page, text }) => `${page}:${text}`).join(' ')}`.trim());
      if (textOn.length === 0 && pictures.length === 0) throw refusal('no-text');
      const textless = [1, 2, 3].filter((page) => !textOn.includes(page));
      return { type: 'pdf', text: 'x', chunks: [], ...(textless.length > 0 && { textless }) };
    },
    pictures: async (
      _: unknown,
      fromPage: number,
      { scans }: { scans?: { pages: readonly number[] | undefined } } = {},
    ) => {
      calls.push(`pictures from ${fromPage} of ${scans?.pages ?? 'all'}`);
      const isShown = scans?.pages?.includes(fromPage) ?? true;
      const picture = {
        page: fromPage,
        caption: '',
        pageText: '',
        width: 9,
        height: 9,
        bytes: Uint8Array.of(fromPage),
      };
      return { pictures: isShown ? [picture] : [], nextPage: fromPage < 3 ? fromPage + 1 : null };
    },
  };
  return { calls, read: () => chunkWithScans({ parser, scanReader }, INPUT, { signal }) };
}

test('reads all pages of a scan, and only the pages without text of other files', async () => {
  const scan = fileWith([]);
  await scan.read();
  assert.equal(scan.calls.at(-1), 'chunk 1:page 1 2:page 2 3:page 3');
  const mixed = fileWith([1, 3]);
  await mixed.read();
  assert.deepEqual(mixed.calls, ['chunk', 'pictures from 2 of 2', 'pictures from 3 of 2', 'chunk 2:page 2']);
  const text = fileWith([1, 2, 3]);
  await text.read();
  assert.deepEqual(text.calls, ['chunk']);
});

test('refuses a scan in which nothing is read, and keeps a file whose empty pages say nothing', async () => {
  const nothing = { read: async () => '' };
  await assert.rejects(fileWith([], nothing).read(), { reason: 'nothing-read' });
  assert.equal((await fileWith([2], nothing).read()).type, 'pdf');
});

test('passes on what ends the reading', async () => {
  const failing = { read: () => Promise.reject(new Error('the file was deleted')) };
  await assert.rejects(fileWith([], failing).read(), /deleted/);
});
