// Tests of the document parser: its processes are bounded, and no file affects another.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { HANG_MS } from '../../platform/testing/until.ts';
import { makePdf, pdfBomb } from '../testing/make-pdf.ts';
import { pdfOfHugePictures } from '../testing/make-pictures.ts';
import { refusedFor } from '../testing/parsed.ts';
import {
  type DocumentParser,
  type DocumentParserOptions,
  openDocumentParser,
} from './open-document-parser.ts';

const folder = mkdtempSync(join(tmpdir(), 'documents-'));
after(() => rmSync(folder, { recursive: true }));

const TEXT = { name: 'a.txt', bytes: Buffer.from('One paragraph.\n\nAnother.') };
/** Keeps the Markdown parser busy far longer than the time limits of these tests. */
const SLOW = { name: 'a.md', bytes: Buffer.from(`${'- '.repeat(4_000)}x`) };
const SLOW_LIMITS = { depthMax: 5_000 };

function parserWith(options: Partial<DocumentParserOptions> = {}): DocumentParser {
  const parser = openDocumentParser({ processes: 1, ...options });
  after(() => parser.close());
  return parser;
}

const parser = parserWith({
  memoryMebibytesMax: 256,
  limits: SLOW_LIMITS,
  parseMsMax: HANG_MS,
  markdownMsMax: HANG_MS,
});

test('parses a file from a path or from memory', async () => {
  const path = join(folder, 'stored-under-another-name');
  writeFileSync(path, TEXT.bytes);
  const fromPath = await parser.parse({ name: 'a.txt', path });
  assert.deepEqual(fromPath, await parser.parse(TEXT));
  assert.equal(fromPath.blocks.length, 2);
  assert.equal(TEXT.bytes.toString(), 'One paragraph.\n\nAnother.', 'the caller keeps its bytes');
});

test('cuts chunks in the parser process, with page numbers', async () => {
  const sentence = 'The river was moved to its new bed in the third year of the works. ';
  const pages = [1, 2, 3].map((page) => ({ heading: `Part ${page}`, paragraphs: [sentence.repeat(20)] }));
  const found = await parser.chunk({ name: 'a.pdf', bytes: await makePdf(pages) });
  assert.deepEqual(
    found.chunks.map((chunk) => chunk.pages),
    [
      [1, 1],
      [2, 2],
      [3, 3],
    ],
  );
  assert.match(found.text.slice(found.chunks[1]?.start, found.chunks[1]?.end), /^Part 2\n\nThe river/);
});

test('throws an error, not a refusal, for a file that cannot be opened, and keeps the process', async () => {
  await assert.rejects(parser.parse({ name: 'a.txt', path: join(folder, 'missing') }), { code: 'ENOENT' });
  assert.equal((await parser.parse(TEXT)).type, 'text');
});

test('delivers a refusal with its reason and message', async () => {
  const refused = parser.parse({ name: 'a.xyz', bytes: Buffer.from('x') });
  await assert.rejects(refused, { name: 'DocumentRefusal', reason: 'unsupported-type', message: /\.docx/ });
});

test('refuses a file on disk over the size limit before reading it', async () => {
  const path = join(folder, 'large.txt');
  writeFileSync(path, '');
  truncateSync(path, 300 * 2 ** 20);
  assert.equal(await refusedFor(parser.parse({ name: 'large.txt', path })), 'too-large');
});

test('refuses a file that takes too long', async () => {
  const hasty = parserWith({ parseMsMax: 1 });
  const bytes = Buffer.from('One paragraph of many.\n\n'.repeat(400_000));
  assert.equal(await refusedFor(hasty.parse({ name: 'a.txt', bytes })), 'too-slow');
});

test('reads a Markdown file that takes too long as plain text', async () => {
  const impatient = parserWith({ markdownMsMax: 1_500, limits: SLOW_LIMITS });
  const { type, text } = await impatient.parse(SLOW);
  assert.deepEqual([type, text], ['text', SLOW.bytes.toString()]);
  const chunked = await impatient.chunk({ name: 'a', mimeType: 'text/markdown', bytes: SLOW.bytes });
  assert.equal(chunked.text, text);
  assert.equal((await impatient.parse({ name: 'b.md', bytes: Buffer.from('# One') })).type, 'markdown');
});

test('refuses a file that needs too much memory within one call, and parses the next', async () => {
  const bytes = Buffer.from(`[${'[1],'.repeat(6_000_000)}1]`);
  assert.equal(await refusedFor(parser.parse({ name: 'a.json', bytes })), 'too-large');
  assert.equal((await parser.parse(TEXT)).type, 'text');
});

test('refuses a decompression bomb when its buffers exceed the limit', async () => {
  const bytes = await pdfBomb(200 * 2 ** 20);
  assert.ok(bytes.length < 100_000);
  assert.equal(await refusedFor(parser.parse({ name: 'a.pdf', bytes })), 'too-large');
  assert.equal((await parser.parse(TEXT)).type, 'text');
});

test('refuses pictures that decompress to more than the limit, and parses the next file', async () => {
  const bytes = await pdfOfHugePictures(8, 3_000);
  assert.equal(await refusedFor(parser.pictures({ name: 'a.pdf', bytes }, 1)), 'too-large');
  assert.equal((await parser.parse(TEXT)).type, 'text');
});

test('stops on its signal, both while parsing and while waiting', async () => {
  const controller = new AbortController();
  const reason = new Error('the file was deleted');
  const ends = [SLOW, TEXT].map((file) =>
    assert.rejects(parser.parse(file, { signal: controller.signal }), reason),
  );
  const last = parser.parse(TEXT);
  setImmediate(() => controller.abort(reason));
  await Promise.all(ends);
  await assert.rejects(parser.parse(TEXT, { signal: controller.signal }), reason);
  assert.equal((await last).type, 'text');
});

test('rejects running and waiting files on close', async () => {
  const closing = openDocumentParser({ processes: 1, limits: SLOW_LIMITS });
  const files = [closing.parse(SLOW), closing.parse(TEXT)].map((file) => assert.rejects(file));
  await closing.close();
  await Promise.all(files);
  await assert.rejects(closing.parse(TEXT), /closed/);
});

test('parses many files in few processes', async () => {
  const two = parserWith({ processes: 2 });
  const found = await Promise.all(
    Array.from({ length: 40 }, (_, at) => two.parse({ name: 'a.txt', bytes: Buffer.from(`file ${at}`) })),
  );
  assert.deepEqual(
    found.map((document) => document.text),
    found.map((_, at) => `file ${at}`),
  );
});
