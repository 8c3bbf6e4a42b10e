// Drives every function of Genkit's plugin: it keeps indexes, and indexes and retrieves documents.
import assert from 'node:assert/strict';
import { genkit } from 'genkit';
import { Document } from 'genkit/retriever';
import {
  configurePineconeIndexer,
  configurePineconeRetriever,
  createPineconeIndex,
  deletePineconeIndex,
  describePineconeIndex,
  pinecone,
  pineconeIndexerRef,
  pineconeRetrieverRef,
} from 'genkitx-pinecone';
import { embed, indexBody, runTests, until } from './harness.mjs';

const { PINECONE_API_KEY: apiKey, PINYON_URL: controllerHostUrl } = process.env;
const clientParams = { apiKey, controllerHostUrl };
const [indexId, otherId] = ['genkit', 'genkit-other'];
const embedder = 'words';
const texts = ['The moon has no air', 'Bread needs flour'];
const documents = texts.map((text, i) => Document.fromText(text, { year: 2000 + i }));

const ai = genkit({ plugins: [pinecone([{ indexId, embedder, clientParams }])] });
ai.defineEmbedder({ name: embedder }, async (input) => ({
  embeddings: input.map(({ content }) => ({ embedding: embed(content[0].text) })),
}));

async function found(retriever, options) {
  const results = await ai.retrieve({ retriever, query: 'the moon', options });
  return results.map(({ text, metadata }) => [text, metadata.year]);
}

await runTests({
  'creates and describes indexes': async () => {
    for (const name of [indexId, otherId]) {
      await createPineconeIndex({ clientParams, options: { ...indexBody, name } });
      const { dimension, status } = await describePineconeIndex({ clientParams, name });
      assert.deepEqual([dimension, status.ready], [3, true]);
    }
  },
  'indexes and retrieves documents by the plugin': async () => {
    await ai.index({ indexer: pineconeIndexerRef({ indexId }), documents });
    const retriever = pineconeRetrieverRef({ indexId });
    assert.deepEqual(await found(retriever, { k: 1 }), [[texts[0], 2000]]);
    assert.equal((await found(retriever, { k: 5 })).length, 2);
  },
  'indexes and retrieves documents of a namespace by functions of its own': async () => {
    const params = { indexId: otherId, clientParams, embedder, contentKey: 'chunk' };
    const indexer = configurePineconeIndexer(ai, params);
    const retriever = configurePineconeRetriever(ai, params);
    await ai.index({ indexer, documents, options: { namespace: 'n' } });
    assert.deepEqual(await found(retriever, { k: 1, namespace: 'n' }), [[texts[0], 2000]]);
    assert.deepEqual(await found(retriever, { k: 1, namespace: 'none' }), []);
  },
  'deletes indexes': async () => {
    for (const name of [indexId, otherId]) {
      await deletePineconeIndex({ clientParams, name });
      // An index that is being deleted is described until it is gone.
      await until(() =>
        describePineconeIndex({ clientParams, name }).then(
          () => false,
          () => true,
        ),
      );
    }
  },
});
