// Drives every public method of Mastra's vector store.
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { PineconeVector } from '@mastra/pinecone';
import { embed, runTests } from './harness.mjs';

const { PINECONE_API_KEY: apiKey, PINYON_URL: controllerHostUrl } = process.env;
const store = new PineconeVector({ id: 'store', apiKey, controllerHostUrl });
const indexName = 'mastra';

await runTests({
  'creates, lists and describes an index': async () => {
    await store.createIndex({ indexName, dimension: 3, metric: 'cosine' });
    await store.createIndex({ indexName, dimension: 3, metric: 'cosine' });
    assert.ok((await store.listIndexes()).includes(indexName));
    const { dimension, metric, count } = await store.describeIndex({ indexName });
    assert.deepEqual({ dimension, metric, count }, { dimension: 3, metric: 'cosine', count: 0 });
  },
  'upserts and queries': async () => {
    const metadata = [{ year: 1969 }, { year: 2001 }];
    const ids = await store.upsert({
      indexName,
      vectors: [embed('moon'), embed('bread')],
      metadata,
      ids: ['a', 'b'],
    });
    assert.deepEqual(ids, ['a', 'b']);
    const [found] = await store.query({
      indexName,
      queryVector: embed('moon'),
      topK: 1,
      includeVector: true,
    });
    assert.equal(found.id, 'a');
    assert.equal(found.vector.length, 3);
    const later = await store.query({
      indexName,
      queryVector: embed('moon'),
      filter: { year: { $gt: 2000 } },
    });
    assert.deepEqual(
      later.map(({ id }) => id),
      ['b'],
    );
  },
  'updates a vector': async () => {
    await store.updateVector({ indexName, id: 'a', update: { metadata: { year: 1970 } } });
    const [found] = await store.query({ indexName, queryVector: embed('moon'), topK: 1 });
    assert.equal(found.metadata.year, 1970);
  },
  'deletes vectors and the index': async () => {
    await store.deleteVector({ indexName, id: 'a' });
    await store.deleteVectors({ indexName, ids: ['b'] });
    assert.equal((await store.describeIndex({ indexName })).count, 0);
    await store.deleteIndex({ indexName });
    // An index that is being deleted is listed until it is gone.
    for (let i = 0; i < 50 && (await store.listIndexes()).includes(indexName); i++) await setTimeout(100);
    assert.ok(!(await store.listIndexes()).includes(indexName));
  },
});
