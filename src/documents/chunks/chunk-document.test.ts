// Tests of chunks: together they contain the text, each respects the token limit and stays within its section.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertBounded } from '../../platform/testing/processor-time.ts';
import type { Block, BlockKind, ParsedDocument } from '../document-model.ts';
import { PARSE_LIMITS } from '../limits.ts';
import { parsed } from '../testing/parsed.ts';
import { loadTokenCounter } from '../text/count-tokens.ts';
import { DocumentWriter, type NewBlock } from '../text/document-writer.ts';
import { chunkDocument } from './chunk-document.ts';
import { CHUNK_OPTIONS, type Chunk, embeddedText } from './chunk-model.ts';

const count = await loadTokenCounter();

function documentOf(blocks: readonly NewBlock[]): ParsedDocument {
  const writer = new DocumentWriter(PARSE_LIMITS);
  for (const block of blocks) writer.add(block);
  return writer.finish('markdown');
}

function chunksOf(document: ParsedDocument, options = CHUNK_OPTIONS): Chunk[] {
  return [...chunkDocument(document, { ...options, count })];
}

function texts(document: ParsedDocument, chunks: readonly Chunk[]): string[] {
  return chunks.map((chunk) => document.text.slice(chunk.start, chunk.end));
}

const SENTENCE = 'The quick brown fox jumps over the lazy dog again and again. ';
const SMALL = { tokensMax: 60, overlapTokensMax: 15 };

const word = fc.constantFrom(
  'fox',
  'e\u0301',
  '👩‍🚀',
  '東京都',
  '<|endoftext|>',
  'x'.repeat(700),
  '"',
  'Dr.',
  'end.',
  '\n',
);
const block: fc.Arbitrary<NewBlock> = fc.record({
  kind: fc.constantFrom<BlockKind>('paragraph', 'list', 'table', 'code', 'row'),
  text: fc.array(word, { minLength: 1, maxLength: 60 }).map((words) => words.join(' ')),
  page: fc.constant(1),
});
const heading: fc.Arbitrary<NewBlock> = fc.record({
  kind: fc.constant<BlockKind>('heading'),
  level: fc.integer({ min: 1, max: 4 }),
  text: fc.constantFrom('One', 'Two words', 'A heading. With a stop.', 'y'.repeat(400)),
  page: fc.constant(1),
});
const documents = fc
  .array(fc.oneof({ weight: 3, arbitrary: block }, { weight: 1, arbitrary: heading }), {
    minLength: 1,
    maxLength: 25,
  })
  .filter((blocks) => blocks.some(({ text }) => text.trim() !== ''))
  .map(documentOf);

test('covers all of the text but white space, in order, within the token limit', () => {
  fc.assert(
    fc.property(documents, (document) => {
      const chunks = chunksOf(document, SMALL);
      let covered = 0;
      for (const [at, chunk] of chunks.entries()) {
        assert.equal(chunk.number, at);
        assert.ok(chunk.end > chunk.start && chunk.end > covered);
        assert.ok(at === 0 || chunk.start > (chunks[at - 1]?.start ?? 0));
        assert.equal(document.text.slice(covered, chunk.start).trim(), '', 'text between two chunks');
        const text = document.text.slice(chunk.start, chunk.end);
        assert.equal(text, text.trim());
        assert.ok(text.isWellFormed(), 'a surrogate pair is split');
        assert.equal(chunk.tokens, count(text));
        assert.ok(chunk.tokens <= SMALL.tokensMax, `${chunk.tokens} tokens: ${text}`);
        covered = chunk.end;
      }
      assert.equal(document.text.slice(covered).trim(), '');
    }),
    { seed: 21, numRuns: 120 },
  );
});

test('ends a chunk where a heading ends its section, and gives it the headings above it', () => {
  fc.assert(
    fc.property(documents, (document) => {
      for (const chunk of chunksOf(document, SMALL)) {
        const within = document.blocks.filter((each) => each.end > chunk.start && each.start < chunk.end);
        const section = levelAt(document.blocks, within[0]);
        const body = within.findIndex((each) => each.kind !== 'heading');
        const later = within.slice(body + 1).filter((each) => each.kind === 'heading');
        let level = within.slice(0, Math.max(0, body)).reduce((_, each) => each.level ?? 0, section);
        for (const each of body < 0 ? [] : later) {
          assert.ok((each.level ?? 0) > level, 'a chunk crosses the end of its section');
          level = each.level ?? 0;
        }
        assert.ok(chunk.context.length <= chunk.headings.length + 1);
      }
    }),
    { seed: 22, numRuns: 120 },
  );
});

/** The heading level of the section in which a block begins. */
function levelAt(blocks: readonly Block[], first: Block | undefined): number {
  const before = blocks.filter((each) => each.kind === 'heading' && each.start <= (first?.start ?? 0));
  return before.at(-1)?.level ?? 0;
}

test('keeps short sections whole, each in its own chunk with its headings', async () => {
  const document = await parsed(
    'a.md',
    '# Guide\n\nIntro.\n\n## Refunds\n\nIn 30 days.\n\n## Returns\n\nBy post.\n',
  );
  const chunks = chunksOf(document);
  assert.deepEqual(texts(document, chunks), [
    '# Guide\n\nIntro.\n\n## Refunds\n\nIn 30 days.'.replaceAll('# ', '').replaceAll('#', ''),
    'Returns\n\nBy post.',
  ]);
  assert.deepEqual(chunks[1]?.headings, ['Guide', 'Returns']);
  assert.deepEqual(chunks[1]?.context, ['Guide']);
  const second = chunks[1];
  assert.equal(second && embeddedText(document.text, second), 'Guide\nReturns\n\nBy post.');
});

test('cuts a long section between sentences, and repeats the end of each chunk in the next', () => {
  const document = documentOf([{ kind: 'paragraph', text: SENTENCE.repeat(100) }]);
  const chunks = chunksOf(document);
  assert.ok(chunks.length > 3);
  for (const [at, text] of texts(document, chunks).entries()) {
    assert.match(text, /^The quick.*again\.$/s);
    const next = chunks[at + 1];
    const overlap = (chunks[at]?.end ?? 0) - (next?.start ?? chunks[at]?.end ?? 0);
    assert.ok(next === undefined || (overlap > 0 && overlap < 400));
    assert.ok(next === undefined || (chunks[at]?.tokens ?? 0) > 350);
  }
});

test('keeps a heading with the text below it', () => {
  for (let sentences = 20; sentences < 34; sentences++) {
    const text = SENTENCE.repeat(sentences);
    const document = documentOf([
      { kind: 'heading', level: 1, text: 'Top' },
      { kind: 'paragraph', text },
      { kind: 'heading', level: 2, text: 'Below' },
      { kind: 'paragraph', text },
    ]);
    const found = texts(document, chunksOf(document));
    assert.ok(found.some((each) => /Below\n\nThe quick/.test(each)));
    assert.ok(
      found.every((each) => !/Below$/.test(each)),
      `after ${sentences} sentences`,
    );
  }
});

test('cuts between characters where a block has no spaces or line ends', () => {
  const document = documentOf([{ kind: 'code', text: '👩‍🚀'.repeat(2_000) }]);
  for (const text of texts(document, chunksOf(document))) assert.match(text, /^(?:👩‍🚀)+$/u);
});

test('counts the tokens of indents, and packs deeply indented lines in linear time', async () => {
  const document = documentOf([{ kind: 'code', text: `${' '.repeat(5_000)}x\n`.repeat(200) }]);
  const chunks = await assertBounded(() => chunksOf(document));
  assert.ok(chunks.every((chunk) => chunk.tokens <= CHUNK_OPTIONS.tokensMax));
  assert.ok(chunks.length > 10);
});

test('reports the pages of each chunk', () => {
  const blocks = [1, 2, 3].map((page) => ({ kind: 'paragraph', text: SENTENCE, page }) as const);
  const document = documentOf(blocks);
  const [chunk] = chunksOf(document);
  assert.deepEqual(chunk?.pages, [1, 3]);
  assert.deepEqual(
    chunk?.pageStarts,
    document.blocks.map(({ page, start }) => ({ page, start })),
  );
});

test('is deterministic, and takes time in proportion to the length of the document', async () => {
  const document = documentOf([
    { kind: 'paragraph', text: SENTENCE.repeat(5_000) },
    { kind: 'code', text: 'ab'.repeat(100_000) },
  ]);
  const chunks = await assertBounded(() => chunksOf(document));
  assert.deepEqual(chunksOf(document), chunks);
});
