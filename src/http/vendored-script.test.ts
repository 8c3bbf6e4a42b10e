// The renderer of the API reference: whole, and of the version that the page asks for.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync, gunzipSync } from 'node:zlib';
import { readConsoleFiles } from './console-files.ts';
import { readVendoredScript, vendoredScripts } from './vendored-script.ts';

/** Compressed; only the page at /docs loads it. */
const BYTES_MAX = 1_000_000;

test('keeps the one renderer that the page at /docs names, with the licenses of what is in it', () => {
  const [name = '', ...others] = vendoredScripts();
  assert.deepEqual(others, []);
  const folder = new URL('../../console/vendor/', import.meta.url);
  assert.ok(readFileSync(new URL(`${name}.js.br`, folder)).length <= BYTES_MAX);
  assert.match(readFileSync(new URL('LICENSES.md', folder), 'utf8'), /^## MIT$/m);
  const scripts = [...readConsoleFiles().assets].filter(([path]) => path.endsWith('.js'));
  assert.ok(scripts.some(([, { bytes }]) => bytes.includes(`console/vendor/${name}.js`)));
});

test('makes the other forms of a script from its smallest', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'vendored-'));
  context.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'renderer-1.js.br'), brotliCompressSync('render()'));
  assert.deepEqual(vendoredScripts(folder), ['renderer-1']);
  const { bytes, encoded } = await readVendoredScript('renderer-1', folder);
  assert.equal(bytes.toString(), 'render()');
  assert.equal(gunzipSync(encoded.get('gzip') ?? '').toString(), 'render()');
});

test('finds no script where none was built', () => {
  assert.deepEqual(vendoredScripts('/nowhere'), []);
});
