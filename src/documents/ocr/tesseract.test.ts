// Tests how the program that reads scans is run: its bounds, and what its failures cost.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { openTesseract, tesseractProblem } from './tesseract.ts';

const PNG = Buffer.from('a picture');
const { signal } = new AbortController();

describe('the program that reads scans', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ocr-'));
  after(() => rmSync(folder, { recursive: true }));
  let programs = 0;

  function program(script: string): string {
    const path = join(folder, `program-${programs++}`);
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return path;
  }

  function reader(
    script: string,
    options: { readonly secondsMax?: number; readonly processes?: number } = {},
  ) {
    return openTesseract({ languages: 'eng+deu', processes: 1, program: program(script), ...options });
  }

  test('passes the picture and the languages, and joins the lines of paragraphs', async () => {
    const found = await reader('echo "$4"; echo; cat; printf " goes on\\nand is divi-\\nded\\n\\f"').read(
      PNG,
      signal,
    );
    assert.equal(found, 'eng+deu\n\na picture goes on and is divided');
  });

  test('takes a program that fails, hangs, floods or wants too much memory for one that finds nothing', async () => {
    assert.equal(await reader('echo x; exit 1').read(PNG, signal), '');
    assert.equal(await reader('exec sleep 600', { secondsMax: 0.2 }).read(PNG, signal), '');
    assert.equal(await reader('exec yes').read(PNG, signal), '');
    const hungry = `exec ${process.execPath} -e "Buffer.alloc(3e9, 1); console.log('x')"`;
    assert.equal(await reader(hungry).read(PNG, signal), '');
    const missing = openTesseract({ languages: 'eng', processes: 1, program: join(folder, 'none') });
    assert.equal(await missing.read(PNG, signal), '');
  });

  test('runs as many at a time as allowed, and ends those whose file is gone', async () => {
    const [one, two] = [join(folder, 'one'), join(folder, 'two')];
    const script = `if [ -e ${one} ]; then touch ${two}; else touch ${one}; exec sleep 600; fi`;
    const single = reader(script);
    const gone = new AbortController();
    const first = single.read(PNG, gone.signal);
    const second = single.read(PNG, signal);
    await until(() => existsSync(one), 'the first program runs');
    assert.equal(existsSync(two), false);
    gone.abort(new Error('the file was deleted'));
    await assert.rejects(first, /deleted/);
    await second;
    assert.equal(existsSync(two), true);
  });

  test('says what is missing: the program, or a language', () => {
    const named = program('echo eng; echo osd');
    assert.equal(tesseractProblem({ languages: 'eng', processes: 1, program: named }), null);
    assert.match(
      tesseractProblem({ languages: 'eng+deu', processes: 1, program: named }) ?? '',
      /data for deu\./,
    );
    const none = join(folder, 'none');
    assert.match(tesseractProblem({ languages: 'eng', processes: 1, program: none }) ?? '', /cannot be run/);
  });
});
