// Drives every public method of LangChain's vector store.
import assert from 'node:assert/strict';
import { Document } from '@langchain/core/documents';
import { PineconeStore } from '@langchain/pinecone';
import { Pinecone } from '@pinecone-database/pinecone';
import { embed, indexBody, runTests } from './harness.mjs';

const pinecone = new Pinecone();
const embeddings = {
  embedQuery: async (text) => embed(text),
  embedDocuments: async (texts) => texts.map(embed),
};
const moon = new Document({ pageContent: 'The moon landing', metadata: { year: 1969 } });
const bread = new Document({ pageContent: 'Bread from flour', metadata: { year: 2001 } });
let store;

await runTests({
  'opens a store on an index': async () => {
    await pinecone.createIndex({ name: 'chain', ...indexBody });
    const pineconeIndex = pinecone.index('chain');
    store = await PineconeStore.fromExistingIndex(embeddings, { pineconeIndex, namespace: 'n' });
    assert.equal(store._vectorstoreType(), 'pinecone');
  },
  'adds documents and vectors': async () => {
    assert.deepEqual(await store.addDocuments([moon, bread], { ids: ['a', 'b'] }), ['a', 'b']);
    await store.addVectors([embed('bread')], [bread], ['c']);
  },
  'searches with scores and filters': async () => {
    const [first] = await store.similaritySearchWithScore('moon', 1);
    assert.equal(first[0].pageContent, moon.pageContent);
    const found = await store.similaritySearch('moon', 3, { year: { $gt: 2000 } });
    assert.deepEqual(new Set(found.map(({ pageContent }) => pageContent)), new Set([bread.pageContent]));
    assert.equal((await store.similaritySearchVectorWithScore(embed('moon'), 2)).length, 2);
  },
  'searches for marginal relevance': async () => {
    const found = await store.maxMarginalRelevanceSearch('moon', { k: 2, fetchK: 3 });
    assert.equal(found.length, 2);
  },
  'deletes by id, by filter and all': async () => {
    await store.delete({ ids: ['a'] });
    await store.delete({ filter: { year: 2001 } });
    assert.deepEqual(await store.similaritySearch('moon', 3), []);
    await store.addDocuments([moon], { ids: ['a'] });
    await store.delete({ deleteAll: true });
    assert.deepEqual(await store.similaritySearch('moon', 3), []);
  },
  'makes stores from texts and documents': async () => {
    const options = { pineconeIndex: pinecone.index('chain'), namespace: 'm' };
    await PineconeStore.fromTexts(['moon'], [{ year: 1 }], embeddings, options);
    const made = await PineconeStore.fromDocuments([bread], embeddings, options);
    assert.equal((await made.similaritySearch('moon', 5)).length, 2);
  },
});
