import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idsOf } from '../conformance/harness.ts';
import { dense, sampleProfile, where } from '../conformance/sample-data.ts';
import { ReferenceIndex } from '../reference/reference-index.ts';
import { liveReader } from './live-reader.ts';
import { readerOver } from './reader-over.ts';

test('fetches only what the filter takes, whatever the settings of the index and of the request', async () => {
  const index = new ReferenceIndex(sampleProfile());
  const genres = { a: 'drama', b: 'comedy', c: 'drama' };
  await index.upsert(
    '',
    Object.entries(genres).map(([id, genre]) => dense(id, [1, 0, 0, 0], { genre })),
  );
  const filter = where('genre', { op: 'in', values: ['drama'] });
  const timeToLive = { field: 'expires_at', seconds: null, namespaces: {} };
  for (const settings of [
    {},
    { promisedRecall: 0.95 },
    { timeToLive },
    { promisedRecall: 0.95, timeToLive },
  ]) {
    const reader = readerOver(liveReader(index, settings), { query: () => Promise.resolve([]) });
    const found = await reader.fetch('', ['c', 'b', 'a'], filter);
    assert.deepEqual(idsOf(found), ['c', 'a'], JSON.stringify(settings));
    assert.equal((await reader.fetch('', ['c', 'b', 'a'])).length, 3);
    assert.equal(await reader.count('', filter), 2);
  }
});
