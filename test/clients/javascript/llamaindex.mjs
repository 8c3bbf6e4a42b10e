// Drives every public method of LlamaIndex.TS's vector store.
import assert from 'node:assert/strict';
import { Document } from '@llamaindex/core/schema';
import { PineconeVectorStore } from '@llamaindex/pinecone';
import { Pinecone } from '@pinecone-database/pinecone';
import { embed, indexBody, runTests } from './harness.mjs';

const pinecone = new Pinecone();
const node = (id_, text) => new Document({ id_, text, embedding: embed(text), metadata: { kind: text } });
const query = { queryEmbedding: embed('moon'), similarityTopK: 2, mode: 'default' };
// The store asks for a model and never uses it, since nodes and queries bring their vectors.
const embeddingModel = {};
let store;
/** The store puts a prefix before the ids of nodes. */
const own = ({ ids }) => ids.map((id) => id.split('_').at(-1));

await runTests({
  'opens a store': async () => {
    await pinecone.createIndex({ name: 'llama', ...indexBody });
    store = new PineconeVectorStore({ indexName: 'llama', namespace: 'n', embeddingModel });
    assert.ok(await store.client());
    assert.ok(await store.index());
  },
  'adds nodes and queries them': async () => {
    await store.add([node('a', 'moon'), node('b', 'bread')]);
    const found = await store.query(query);
    assert.deepEqual(own(found), ['a', 'b']);
    assert.ok(found.similarities[0] > found.similarities[1]);
  },
  'queries with a filter': async () => {
    const filters = { filters: [{ key: 'kind', value: 'bread', operator: '==' }] };
    assert.deepEqual(own(await store.query({ ...query, filters })), ['b']);
  },
  'deletes a node and clears the namespace': async () => {
    await store.delete('a');
    await store.clearIndex();
    assert.deepEqual((await store.query(query)).ids, []);
  },
});
