// The reference engine conforms to the whole port, in memory and with journals, and recovers from its journals.
import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { describeReaderAndWriter } from '../conformance/conformance-suite.ts';
import { describeEngine } from '../conformance/engines.ts';
import { indexOver } from '../conformance/over-engine.ts';
import { dense, sampleProfile } from '../conformance/sample-data.ts';
import { ReferenceEngine } from './reference-engine.ts';

const PROFILE = sampleProfile();

async function inMemory() {
  const engine = new ReferenceEngine();
  return { engine, close: () => engine.close() };
}

async function onDisk() {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-reference-'));
  const engine = new ReferenceEngine(folder);
  return {
    engine,
    close: async () => {
      await engine.close();
      rmSync(folder, { recursive: true });
    },
  };
}

describeReaderAndWriter('the reference engine', indexOver(inMemory));
describeEngine('the reference engine', inMemory);
describeEngine('the reference engine with journals', onDisk);

it('restores every answered write after a restart, and drops a truncated entry', async (test) => {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-reference-'));
  test.after(() => rmSync(folder, { recursive: true }));
  const first = new ReferenceEngine(folder);
  await first.createIndex(PROFILE);
  await first.writer(PROFILE).upsert('n', [dense('a', [1, 2, 3, 4], { genre: 'noir' })]);
  await first.writer(PROFILE).update('n', {
    id: 'a',
    values: Float32Array.of(4, 3, 2, 1),
    sparse: null,
    setMetadata: { year: 1 },
  });
  const state = await first.reader(PROFILE).fetch('n', ['a']);
  await first.close();
  appendFileSync(join(folder, PROFILE.id, 'journal'), Buffer.from([200, 0, 0, 0, 1, 2]));
  const second = new ReferenceEngine(folder);
  assert.deepEqual(await second.reader(PROFILE).fetch('n', ['a']), state);
  assert.equal(await second.reader(PROFILE).lsn(), 2);
  await second.writer(PROFILE).deleteIds('n', ['a']);
  await second.close();
  const third = new ReferenceEngine(folder);
  assert.deepEqual(await third.reader(PROFILE).fetch('n', ['a']), []);
  await third.close();
});
