// Open indexes in which nothing happens cost next to nothing: a server may have thousands.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { sampleProfile, sampleQuery } from '../../conformance/sample-data.ts';
import { openInProcess } from '../in-process-index.ts';
import { RandomRecords } from '../testing/random-records.ts';
import { tempFolder } from '../testing/temp-folder.ts';

const PROFILE = sampleProfile({ metric: 'cosine', dimension: 8 });
const ROUND_MS = 2_000;
const ROUNDS = 5;

/** How often the runtime is asked about memories while nothing happens: each time takes as long as a small read. */
function questionsWhileIdle(test: TestContext): number {
  const grow = test.mock.method(WebAssembly.Memory.prototype, 'grow');
  for (let round = 0; round < ROUNDS; round++) test.mock.timers.tick(ROUND_MS);
  grow.mock.restore();
  return grow.mock.callCount();
}

it('asks nothing about the memory of an index that has nothing in it', async (test) => {
  test.mock.timers.enable({ apis: ['setInterval'] });
  const index = openInProcess(PROFILE, tempFolder(test), { directRecordsMax: 0 });
  test.after(() => index.close());
  questionsWhileIdle(test);
  assert.equal(questionsWhileIdle(test), 0, 'of a new index');
  await index.writer.upsert('a', new RandomRecords(PROFILE, 5).records(0, 20));
  await index.reader.query(sampleQuery({ namespace: 'a', values: new Float32Array(8).fill(1) }));
  assert.notEqual(questionsWhileIdle(test), 0, 'of one with a namespace in memory');
  await index.writer.deleteNamespace('a');
  questionsWhileIdle(test);
  assert.equal(questionsWhileIdle(test), 0, 'of one whose namespace has gone');
});
