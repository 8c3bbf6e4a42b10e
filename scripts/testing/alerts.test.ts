// Every alert says what to do.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
const RULE = /^ *- alert: (\w+)$/gm;
/** The first cell of a row. */
const ROW = /^\| ((?:`Pinyon\w+`(?:, )?)+) \|/gm;
const NAME = /Pinyon\w+/g;
const METRIC = /\b(?:pinyon|pinecone|process)_\w+/g;
/** What Prometheus appends to the name of a histogram. */
const PART = /_(?:bucket|count|sum)$/;
const COMMENT = /^ *#.*$/gm;

describe('alert rules', () => {
  it('are the alerts of which the page on operation says what to do, each once', () => {
    const rules = Array.from(textOf('deploy/monitoring/alerts.yaml').matchAll(RULE), ([, name = '']) => name);
    const rows = Array.from(
      textOf('docs/operating.md').matchAll(ROW),
      ([, cell = '']) => cell.match(NAME) ?? [],
    );
    assert.ok(rules.includes('PinyonDown'));
    assert.deepEqual(rows.flat().toSorted(), rules.toSorted());
  });

  it('read metrics that the reference explains', () => {
    const rules = textOf('deploy/monitoring/alerts.yaml').replaceAll(COMMENT, '');
    const read = new Set(rules.match(METRIC)?.map((name) => name.replace(PART, '')));
    const reference = textOf('docs/reference/metrics.md');
    assert.ok(read.has('pinyon_recovery_lag_seconds'));
    assert.deepEqual(
      [...read].filter((name) => !reference.includes(`\`${name}\``)),
      [],
    );
  });
});

function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
