// Links within the documentation lead somewhere.
import assert from 'node:assert/strict';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { brokenLinks } from './doc-links.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGES = ['*.md', 'docs/**/*.md', 'bench/*/*.md', 'test/*.md'];
/** A file or folder of the code that a page names. */
const CODE_PATH = /`((?:src|bench|scripts|test)\/[\w./-]+)`/g;
/** It tells of names that later versions no longer have. */
const HISTORY = 'CHANGELOG.md';

describe('documentation', () => {
  it('resolves every relative link of the documentation', () => {
    const pages = globSync(PAGES, { cwd: ROOT });
    assert.ok(pages.includes('README.md'));
    assert.deepEqual(brokenLinks(ROOT, pages), []);
  });

  it('names only files and folders that exist', () => {
    const pages = globSync(PAGES, { cwd: ROOT }).filter((page) => page !== HISTORY);
    const named = pages.flatMap((page) =>
      Array.from(readFileSync(join(ROOT, page), 'utf8').matchAll(CODE_PATH), ([, path = '']) => [page, path]),
    );
    assert.ok(named.length > 0);
    assert.deepEqual(
      named.filter(([, path = '']) => !existsSync(join(ROOT, path))).map((each) => each.join(': ')),
      [],
    );
  });

  it('reports links to missing files and headings, and no others', (test) => {
    const root = mkdtempSync(join(tmpdir(), 'doc-links-'));
    test.after(() => rmSync(root, { recursive: true }));
    writeFileSync(
      join(root, 'a.md'),
      '# One: and two\n\n[b](b.md) [own](#one-and-two) [web](https://example.com/x)\n',
    );
    writeFileSync(
      join(root, 'b.md'),
      'See [a](a.md#one-and-two), [gone](c.md), [no heading](a.md#three), `[code](d.md)`.\n\n```md\n[fenced](e.md)\n```\n',
    );
    assert.deepEqual(brokenLinks(root, ['a.md', 'b.md']), ['b.md: c.md', 'b.md: a.md#three']);
  });
});
