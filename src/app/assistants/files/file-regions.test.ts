// Reading regions takes bounded space, however many ask for them.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../../platform/testing/until.ts';
import { FileRegions } from './file-regions.ts';

const BYTES = Buffer.from('a file');
const FILE = {
  ...{ assistantId: 'assistant', revisionId: 'revision', name: 'a.pdf' },
  sha256: createHash('sha256').update(BYTES).digest('hex'),
};
const PASSAGE = { text: 'a', before: '', pages: [1] };
const { signal } = new AbortController();

test('copies at most two files of a project at a time, and four of all, and leaves none', async (context) => {
  const scratchFolder = await mkdtemp(join(tmpdir(), 'regions-'));
  context.after(() => rm(scratchFolder, { recursive: true }));
  const parsed = Promise.withResolvers<void>();
  const copied: string[] = [];
  const regions = new FileRegions({
    scratchFolder,
    blobs: {
      get: async function* () {
        yield BYTES;
      },
    },
    parser: {
      regions: async (_, passages) => {
        copied.push(passages[0]?.text ?? '');
        await parsed.promise;
        return { regions: [[]], layouts: [] };
      },
    },
  });
  const ask = (projectId: string) =>
    regions.of(FILE, [{ ...PASSAGE, text: projectId }], { projectId, signal, waitMs: 60_000 });
  const first = Array.from({ length: 10 }, () => ask('a'));
  await until(() => copied.length === 2, 'the files of one project');
  const others = ['b', 'c', 'd'].map(ask);
  await until(() => copied.length === 4, 'the files of others');
  assert.deepEqual(copied.toSorted(), ['a', 'a', 'b', 'c']);
  assert.equal((await readdir(scratchFolder)).length, 4);
  const late = { projectId: 'a', signal, waitMs: 1 };
  assert.deepEqual((await regions.of(FILE, [PASSAGE], late)).regions, [[]]);
  parsed.resolve();
  await Promise.all([...first, ...others]);
  assert.equal(copied.length, 13);
  assert.deepEqual(await readdir(scratchFolder), []);
});
