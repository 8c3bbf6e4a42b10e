// Guarantees of descriptions: what is kept is read again, and whatever else lies there is told.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { SAMPLE_INDEX } from '../../../catalog/conformance/conformance-suite.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { DESCRIPTION, keepDescription, readDescription } from './index-description.ts';

const WHOLE = { index: SAMPLE_INDEX, projectName: 'default' };

it('returns what was kept, and writes only what has changed', async (test) => {
  const folder = tempFolder(test);
  assert.deepEqual(readDescription(folder), { state: 'missing' });
  assert.equal(await keepDescription(folder, WHOLE), true);
  assert.deepEqual(readDescription(folder), { state: 'whole', description: WHOLE });
  assert.equal(await keepDescription(folder, WHOLE), false);
  const renamed = { ...WHOLE, projectName: 'other' };
  assert.equal(await keepDescription(folder, renamed), true);
  assert.deepEqual(readDescription(folder), { state: 'whole', description: renamed });
  assert.deepEqual(readdirSync(folder), [DESCRIPTION]);
});

it('creates no folder for an index without storage', async (test) => {
  const folder = join(tempFolder(test), 'missing');
  assert.equal(await keepDescription(folder, WHOLE), false);
  assert.deepEqual(readDescription(folder), { state: 'missing' });
});

it('tells every changed byte and every cut, and repairs it', async (test) => {
  const folder = tempFolder(test);
  await keepDescription(folder, WHOLE);
  const path = join(folder, DESCRIPTION);
  const content = readFileSync(path);
  for (let at = 0; at < content.length - 1; at++) {
    const changed = Buffer.from(content);
    changed[at] = (changed[at] ?? 0) ^ 1;
    writeFileSync(path, changed);
    assert.equal(readDescription(folder).state, 'damaged', `byte ${at}`);
    writeFileSync(path, content.subarray(0, at));
    assert.equal(readDescription(folder).state, 'damaged', `cut at ${at}`);
  }
  assert.equal(await keepDescription(folder, WHOLE), true);
  assert.equal(readDescription(folder).state, 'whole');
});
