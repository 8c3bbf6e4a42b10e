// Calls of the TypeScript SDK, version 9.
import { SAMPLE_BASE, SAMPLE_KEY, type SdkSamples } from './code-sample.ts';

export const TYPESCRIPT: SdkSamples = {
  lang: 'typescript',
  label: 'TypeScript SDK',
  open: `import { Pinecone } from '@pinecone-database/pinecone';

const pinecone = new Pinecone({ apiKey: '${SAMPLE_KEY}', controllerHostUrl: '${SAMPLE_BASE}' });`,
  openIndex: `const films = pinecone.index({ name: 'films' });`,
  calls: {
    create_index: {
      code: `await pinecone.createIndex({
  name: 'films',
  dimension: 3,
  metric: 'cosine',
  spec: { serverless: { cloud: 'aws', region: 'us-east-1' } },
  waitUntilReady: true,
});`,
    },
    list_indexes: { code: `console.log(await pinecone.listIndexes());` },
    describe_index: { code: `const { host } = await pinecone.describeIndex('films');\nconsole.log(host);` },
    configure_index: { code: `await pinecone.configureIndex({ name: 'films', tags: { team: 'search' } });` },
    upsert_vectors: {
      atIndex: true,
      code: `await films.upsert({
  records: [
    { id: 'a', values: [0.1, 0.2, 0.3], metadata: { genre: 'drama', year: 2019 } },
    { id: 'b', values: [0.3, 0.2, 0.1], metadata: { genre: 'comedy', year: 2024 } },
  ],
});`,
    },
    query_vectors: {
      atIndex: true,
      code: `const { matches } = await films.query({
  vector: [0.1, 0.2, 0.3],
  topK: 3,
  filter: { year: { $gte: 2010 } },
  includeMetadata: true,
});
console.log(matches);`,
    },
    fetch_vectors: {
      atIndex: true,
      code: `const { records } = await films.fetch({ ids: ['a'] });\nconsole.log(records.a);`,
    },
    fetch_vectors_by_metadata: {
      atIndex: true,
      code: `console.log(await films.fetchByMetadata({ filter: { genre: { $eq: 'drama' } } }));`,
    },
    list_vectors: { atIndex: true, code: `console.log(await films.listPaginated({ prefix: 'a' }));` },
    update_vectors: { atIndex: true, code: `await films.update({ id: 'a', metadata: { year: 2020 } });` },
    get_index_stats: { atIndex: true, code: `console.log(await films.describeIndexStats());` },
    list_namespaces: { atIndex: true, code: `console.log(await films.listNamespaces());` },
    describe_namespace: { atIndex: true, code: `console.log(await films.describeNamespace('__default__'));` },
    delete_vectors: { atIndex: true, code: `await films.deleteMany({ ids: ['a', 'b'] });` },
    create_backup: {
      code: `const { backupId } = await pinecone.createBackup({ indexName: 'films', name: 'films-weekly' });
console.log(backupId);`,
    },
    list_index_backups: { code: `console.log(await pinecone.listBackups({ indexName: 'films' }));` },
    create_index_for_model: {
      code: `await pinecone.createIndexForModel({
  name: 'plots',
  cloud: 'aws',
  region: 'us-east-1',
  embed: { model: 'multilingual-e5-large', fieldMap: { text: 'plot' } },
  waitUntilReady: true,
});`,
    },
    upsert_records: {
      code: `const plots = pinecone.index({ name: 'plots' });
await plots.upsertRecords({ records: [{ id: 'a', plot: 'A farmer finds a meteorite in his field' }] });`,
    },
    search_records: {
      code: `const plots = pinecone.index({ name: 'plots' });
const { result } = await plots.searchRecords({ query: { topK: 3, inputs: { text: 'rock from space' } } });
console.log(result.hits);`,
    },
    embed: {
      code: `const { data } = await pinecone.inference.embed({
  model: 'multilingual-e5-large',
  inputs: ['rock from space'],
  parameters: { inputType: 'query' },
});
console.log(data);`,
    },
    rerank: {
      code: `const ranked = await pinecone.inference.rerank({
  model: 'bge-reranker-v2-m3',
  query: 'rock from space',
  documents: ['A farmer finds a meteorite', 'Two sisters open a bakery'],
});
console.log(ranked.data);`,
    },
    delete_index: { code: `await pinecone.deleteIndex('plots');` },
    create_assistant: { code: `await pinecone.createAssistant({ name: 'helper' });` },
    chat_assistant: {
      code: `const helper = pinecone.assistant({ name: 'helper' });
const { message } = await helper.chat({ messages: [{ role: 'user', content: 'How many locks does the canal have?' }] });
console.log(message?.content);`,
    },
  },
};
