// Guarantees of resolution by address: it finds the same files as Node's own.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

const OWN = new URL('./module-resolution.ts', import.meta.url).href;
/** Loads the whole server, packages included, without starting it. */
const PROGRAM = new URL('../boot/program.ts', import.meta.url).href;

/** The files that a process loads for a module, sorted. */
function loadedBy(module: string, isByAddress: boolean): readonly string[] {
  const script = `
    const { registerHooks } = await import('node:module');
    const { resolveByAddress } = await import('${OWN}');
    if (${isByAddress}) resolveByAddress();
    const urls = new Set();
    registerHooks({ load: (url, context, next) => { urls.add(url); return next(url, context); } });
    await import(${JSON.stringify(module)});
    console.log(JSON.stringify([...urls].sort()));
    process.exit();`;
  const text = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  return JSON.parse(text) as readonly string[];
}

test('loads the same files as Node does by itself, own ones and those of packages', () => {
  const loaded = loadedBy(PROGRAM, true);
  assert.ok(loaded.length > 1_000, String(loaded.length));
  assert.deepEqual(loaded, loadedBy(PROGRAM, false));
});
