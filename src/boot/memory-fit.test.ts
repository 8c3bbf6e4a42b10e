// Search and bodies are never promised more memory than there is, and the log says so where the settings do.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PARSER_MEMORY } from '../documents/limits.ts';
import { FILE_THREAD_MEMORY } from '../file-formats/thread-memory.ts';
import { IDLE_MEBIBYTES, partOfMemory } from '../platform/machine-memory.ts';
import { memoryProblem } from './memory-fit.ts';
import { memoryPreset } from './settings/engine.ts';
import { bodyPreset } from './settings/serving.ts';

const engine = 'embedded';

test('presets fit into any machine and container, and leave some of it to the page cache', () => {
  for (const mebibytes of [384, 512, 768, 1_024, 2_048, 4_096, 65_536]) {
    const [memoryMebibytesMax, bodyMebibytesMax] = [memoryPreset(mebibytes), bodyPreset(mebibytes)];
    const sum = IDLE_MEBIBYTES + memoryMebibytesMax + bodyMebibytesMax;
    assert.ok(sum <= mebibytes - (mebibytes - IDLE_MEBIBYTES) * 0.1, `${sum} of ${mebibytes} MiB`);
    assert.equal(memoryProblem({ engine, memoryMebibytesMax, bodyMebibytesMax }, mebibytes), null);
  }
});

test('presets of large machines are 60 % of the memory for search, and 512 MiB for bodies', () => {
  const mebibytes = 65_536;
  assert.ok(Math.abs(memoryPreset(mebibytes) / mebibytes - 0.6) < 0.01);
  assert.equal(bodyPreset(mebibytes), 512);
});

test('a parser and an import fit beside search and bodies where docs/sizing.md says so', () => {
  const needed = (mebibytes: number, search: number) =>
    IDLE_MEBIBYTES +
    search +
    bodyPreset(mebibytes) +
    partOfMemory(PARSER_MEMORY, mebibytes) +
    partOfMemory(FILE_THREAD_MEMORY, mebibytes);
  assert.equal(needed(2_048, 256), 2_034);
  assert.ok(needed(4_506, memoryPreset(4_506)) <= 4_506);
  assert.ok(needed(4_403, memoryPreset(4_403)) > 4_403);
});

test('warns of settings that do not fit, with the sum and what to change', () => {
  const settings = { engine, memoryMebibytesMax: 307, bodyMebibytesMax: 512 } as const;
  assert.match(
    memoryProblem(settings, 512) ?? '',
    /^The server may take 1075 MiB of memory, and has 512: 256 for itself, PINYON_MEMORY_MEBIBYTES_MAX \(307\) and PINYON_BODY_MEBIBYTES_MAX \(512\)\./,
  );
  assert.doesNotMatch(memoryProblem({ ...settings, engine: 'postgres' }, 512) ?? '', /PINYON_MEMORY/);
  assert.equal(memoryProblem({ ...settings, engine: 'postgres' }, 1_024), null);
});
