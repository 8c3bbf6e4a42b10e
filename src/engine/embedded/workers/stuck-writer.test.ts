// Tests that a thread that dies within a transaction is detected: it never exits, since it waits for its own lock.
// Threads that run out of heap elsewhere are restarted. Runs in separate processes, which must be killed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { HANG_MS } from '../../../platform/testing/until.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { EngineClient } from '../testing/engine-client.ts';
import { tempFolder } from '../testing/temp-folder.ts';

const PROFILE = sampleProfile({ dimension: 2, metric: 'dotproduct' });
const location = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);

/** Runs the script in a process with a small heap and an engine of crashing threads. */
function run(folder: string, script: string) {
  const file = join(folder, 'script.mjs');
  writeFileSync(
    file,
    `const { EngineClient } = await import(${location('../testing/engine-client.ts')});
    const index = ${JSON.stringify(PROFILE)};
    const entries = {
      reader: new URL(${location('./testing/crashing-reader.ts')}),
      writer: new URL(${location('./testing/crashing-writer.ts')}),
    };
    const client = new EngineClient(${JSON.stringify(folder)}, { entries });
    await client.engine.createIndex(index);
    const upsert = (id, params) =>
      client.call(index, 'upsert_vectors', { body: { vectors: [{ id, values: [1, 2] }] }, params });
    ${script}`,
  );
  const options = { encoding: 'utf8', timeout: HANG_MS } as const;
  return spawnSync(process.execPath, ['--max-old-space-size=128', file], options);
}

test('detects a writer that dies in the middle of a commit, and loses nothing that was acknowledged', async (test) => {
  const folder = tempFolder(test);
  const { signal, stdout } = run(
    folder,
    `await upsert('kept');
    const isStuck = () => client.problems.includes('writer 0 is stuck');
    upsert('lost', { die: 'commit' }).catch(() => undefined);
    while (!isStuck()) await new Promise((resolve) => setTimeout(resolve, 50));
    process.stdout.write('noticed', () => process.kill(process.pid, 'SIGKILL'));`,
  );
  assert.deepEqual({ signal, stdout }, { signal: 'SIGKILL', stdout: 'noticed' });
  const client = new EngineClient(folder);
  assert.equal((await client.engine.sizeOf(PROFILE)).records, 1);
  assert.equal(
    (await client.call(PROFILE, 'upsert_vectors', { body: { vectors: [{ id: 'x', values: [1, 2] }] } }))
      .status,
    200,
  );
  await client.engine.close();
});

test('restarts threads that run out of heap', (test) => {
  const { status, stdout } = run(
    tempFolder(test),
    `await upsert('a');
    const body = { vector: [1, 2], topK: 1 };
    const query = (params) => client.call(index, 'query_vectors', { body, params });
    const first = await query({ die: 'memory once' });
    const failed = await upsert('b', { die: 'memory' }).catch((error) => error.condition);
    await upsert('c');
    const last = await query({});
    console.log(first.status, failed, last.status, client.problems.length);
    await client.engine.close();`,
  );
  assert.deepEqual({ status, stdout }, { status: 0, stdout: '200 interrupted 200 2\n' });
});
