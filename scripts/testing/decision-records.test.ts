// Decision records keep their form: numbered in a row, the decision first, each in the index.
import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'docs/decisions');
const INDEX = 'README.md';
/** Where code names a record, by the path of its file. */
const CODE = '{src,test,scripts,bench/*}/**/*.ts';
const REFERENCE = /decisions?[/ ](\d{3}[a-z-]*(?:\.md)?)/g;
const records = readdirSync(FOLDER)
  .filter((file) => file !== INDEX)
  .sort();

function read(file: string): string {
  return readFileSync(join(FOLDER, file), 'utf8');
}

describe('decision records', () => {
  it('numbers the records from 001 without gaps', () => {
    const expected = records.map((_, at) => String(at + 1).padStart(3, '0'));
    assert.deepEqual(
      records.map((file) => /^(\d{3})-[a-z-]+\.md$/.exec(file)?.[1]),
      expected,
    );
  });

  it('opens each record with its decision', () => {
    const shapeless = records.filter(
      (file) => !new RegExp(`^# ${file.slice(0, 3)} .+\n\n\\*\\*Decision\\.\\*\\* `).test(read(file)),
    );
    assert.deepEqual(shapeless, []);
  });

  it('lists each record in the index', () => {
    const index = read(INDEX);
    assert.deepEqual(
      records.filter((file) => !index.includes(`[${file.slice(0, 3)} `) || !index.includes(`](${file})`)),
      [],
    );
  });

  it('resolves every reference of the code to a record', () => {
    const files = globSync(CODE, { cwd: ROOT, exclude: ['**/node_modules/**'] });
    const broken = files.flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(REFERENCE)]
        .filter(([, record = '']) => !records.includes(record))
        .map(([reference]) => `${file}: ${reference}`),
    );
    assert.deepEqual(broken, []);
  });
});
