// Tests what is read from Markdown.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertBounded } from '../../platform/testing/processor-time.ts';
import { outline, parsed, refusedFor } from '../testing/parsed.ts';
import { splitMarkdown } from './markdown-sections.ts';

async function outlineOf(markdown: string): Promise<string[]> {
  return outline(await parsed('a.md', markdown));
}

test('turns headings, lists, tables, code and quotes into blocks without their markup', async () => {
  const markdown = `---
title: Manual
---
# Set *up*

Read the [guide](https://example.org/guide) and \`this\`.
Second line.

- a
  - b

3. x
4. y

| a | b \\| c |
|---|:-----:|
| 1 |   2   |

\`\`\`js
# no heading
\`\`\`

> quoted <b>text</b>

Under
-----
`;
  assert.deepEqual(await outlineOf(markdown), [
    'paragraph: title: Manual',
    'heading1: Set up',
    'paragraph: Read the guide (https://example.org/guide) and this. Second line.',
    'list: - a\n  - b',
    'list: 3. x\n4. y',
    'table: a | b \\| c\n1 | 2',
    'code: # no heading',
    'paragraph: quoted text',
    'heading2: Under',
  ]);
});

test('leaves out HTML that a reader does not see, up to its end', async () => {
  const hidden = [
    '<style>\n.a { b: c }\n\n.d { e: f }\n</style>',
    '<div><script>run()</script><b>seen</b></div>',
    '<div hidden>\n\nno *words*\n\n<div>\n\nnor these\n\n</div>\n\n</div>',
    'one<span style="display:none"> **no** </span> two <svg><text>no</text></svg>three',
    '- item <i hidden>no</i>',
  ];
  assert.deepEqual(await outlineOf(hidden.join('\n\n')), [
    'paragraph: seen',
    'paragraph: one two three',
    'list: - item',
  ]);
});

test('keeps the text behind HTML that is named and never closed', async () => {
  assert.deepEqual(await outlineOf('Write <template> first.\n\n<div hidden>\n\nThen *this*.'), [
    'paragraph: Write  first.',
    'paragraph: Then this.',
  ]);
});

test('refuses containers nested beyond the limit, on one line even before parsing', async () => {
  await assertBounded(async () => {
    assert.equal(await refusedFor(parsed('a.md', `text\n${'- '.repeat(50_000)}x`)), 'too-deep');
    assert.equal(await refusedFor(parsed('a.md', `${'>'.repeat(1_000_000)}x`)), 'too-deep');
  });
  const stairs = Array.from({ length: 260 }, (_, level) => `${'  '.repeat(level)}- x`).join('\n');
  assert.equal(await refusedFor(parsed('a.md', stairs)), 'too-deep');
});

test('splits a long text into sections that add up to it, none starting within fenced code', () => {
  const line = fc.constantFrom(
    '# Head\n',
    '```\n',
    '~~~~\n',
    '````\n',
    `${'word '.repeat(4_000)}\n`,
    '\n',
    '  ```\n',
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), (lines) => {
      const text = lines.join('');
      const pieces = [...splitMarkdown(text)];
      assert.equal(pieces.join(''), text);
      assert.ok(pieces.slice(1).every((piece) => /^(?:# |word)/.test(piece)));
    }),
    { seed: 7, numRuns: 200 },
  );
});

test('splits a long text without headings between paragraphs', () => {
  const text = `${'Words of a paragraph. '.repeat(50)}\n\n- an item\n\n  that goes on\n\n`.repeat(200);
  const pieces = [...splitMarkdown(text)];
  assert.ok(pieces.length > 2);
  assert.ok(pieces.every((piece) => piece.startsWith('Words')));
});

test('finds the headings of every section of a long text', async () => {
  const section = `## Part\n\n${'Some words of text. '.repeat(500)}\n\n\`\`\`\n# code\n\`\`\`\n\n`;
  const found = await outlineOf(section.repeat(30));
  assert.equal(found.filter((block) => block === 'heading2: Part').length, 30);
  assert.equal(found.filter((block) => block === 'code: # code').length, 30);
});
