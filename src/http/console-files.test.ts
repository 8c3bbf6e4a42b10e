// The built console: small enough to load quickly, and complete in both compressed forms.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConsoleFiles } from './console-files.ts';

/** Compressed, for the page with everything that it loads at once. */
const FIRST_LOAD_BYTES_MAX = 100_000;

test('loads at first at most 100 kB compressed', () => {
  const { pages, assets } = readConsoleFiles();
  const page = pages.get('index');
  assert.ok(page !== undefined, 'console/dist is missing: npm run build:console');
  const html = page.bytes.toString();
  const first = [...assets].filter(([path]) => html.includes(path));
  assert.ok(first.some(([path]) => path.endsWith('.js')) && first.some(([path]) => path.endsWith('.css')));
  const bytes = [page, ...first.map(([, file]) => file)].map(({ encoded }) => encoded.get('gzip')?.length);
  const sum = bytes.reduce<number>((all, each) => all + (each ?? Number.NaN), 0);
  assert.ok(sum <= FIRST_LOAD_BYTES_MAX, `${sum} bytes`);
});

test('has both compressed forms of every file, and a hash in the path of every asset', () => {
  const { pages, assets } = readConsoleFiles();
  assert.deepEqual([...pages.keys()].sort(), ['docs', 'index']);
  for (const file of [...pages.values(), ...assets.values()]) {
    assert.deepEqual([...file.encoded.keys()], ['br', 'gzip']);
  }
  for (const path of assets.keys()) assert.match(path, /^\/console\/assets\/[\w-]+-[\w-]{8}\.\w+$/);
});

test('is empty where the console was not built', () => {
  const { pages, assets } = readConsoleFiles('/nowhere');
  assert.deepEqual([pages.size, assets.size], [0, 0]);
});
