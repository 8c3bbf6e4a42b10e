// Guarantees of tables: they fit the terminal, align what they show, and cannot steer the terminal.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { displayWidth, lines, table } from './table.ts';

const COLUMNS = { name: 'NAME', count: 'COUNT', text: 'TEXT' };

describe('a table', () => {
  it('aligns columns, numbers at the right, and shows a dash for what is absent', () => {
    const rows = [
      { name: 'a', count: 7, text: 'one' },
      { name: 'longer', count: 1_200, text: null },
    ];
    assert.equal(
      table(rows, COLUMNS, 80),
      ['NAME    COUNT  TEXT', 'a           7  one', 'longer  1,200  -'].join('\n'),
    );
  });

  it('cuts its widest columns until no line is wider than the terminal', () => {
    const rows = [{ name: 'short', count: 1, text: 'x'.repeat(200) }];
    const drawn = table(rows, COLUMNS, 40).split('\n');
    assert.ok(drawn.every((line) => displayWidth(line) <= 40));
    assert.match(drawn[1] ?? '', /^short +1 +x+…$/);
  });

  it('counts wide characters as two columns, and marks as none', () => {
    assert.deepEqual(['ab', '漢字', 'e\u0301', '🙂'].map(displayWidth), [2, 4, 1, 2]);
    const [heading = '', first = ''] = table([{ name: '漢字', count: 1, text: 'z' }], COLUMNS, 80).split(
      '\n',
    );
    assert.equal(displayWidth(heading.slice(0, heading.indexOf('TEXT'))), displayWidth(first.slice(0, -1)));
  });

  it('prints no control characters of stored texts', () => {
    const row = { name: '\u001b[2Jgone', count: 1, text: 'two\nlines\tand tabs' };
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there.
    assert.doesNotMatch(table([row], COLUMNS, 80).replaceAll('\n', ''), /[\u0000-\u001f]/);
    assert.equal(lines([row], COLUMNS), ' [2Jgone\t1\ttwo lines and tabs\n');
  });
});
