// An index with integrated embedding by SDK 5 (version 2025-01), from its creation to a reranked text search.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Pinecone } from 'pinecone-sdk-5';
import { plain } from './support/plain.ts';
import { API_KEY, type Service, startService } from './support/service.ts';

const SPARSE = 'pinecone-sparse-english-v0';
const BGE = 'bge-reranker-v2-m3';
const PLACE = { cloud: 'aws', region: 'us-east-1' } as const;
const RECORDS = [
  { _id: 'a', text: 'A red car by the sea', wheels: 4 },
  { _id: 'b', text: 'The sea is blue' },
  { _id: 'c', text: 'A red apple', wheels: 0 },
];

describe('SDK 5, inference', () => {
  let service: Service;
  let pinecone: Pinecone;
  before(async () => {
    service = await startService();
    pinecone = new Pinecone({ apiKey: API_KEY, controllerHostUrl: service.url });
  });
  after(() => service.dispose());

  it('embeds and reranks', async () => {
    const { data, usage } = await pinecone.inference.embed('multilingual-e5-large', ['one two'], {
      inputType: 'query',
      truncate: 'END',
    });
    const [vector] = data;
    assert.ok(vector?.vectorType === 'dense');
    assert.deepEqual([vector.values.length, usage.totalTokens], [1024, 2]);
    const documents = ['a red car', 'a green tree'];
    const ranked = await pinecone.inference.rerank(BGE, 'which tree is green', documents, {
      topN: 1,
      // As an example of its documentation has it.
      parameters: { inputType: 'passage', truncate: 'END' },
    });
    assert.deepEqual(
      ranked.data.map(({ index, document }) => [index, document]),
      [[1, { text: 'a green tree' }]],
    );
  });

  it('creates a sparse integrated index, fills it and searches it by text', async () => {
    const made = await pinecone.createIndexForModel({
      name: 'words',
      ...PLACE,
      embed: { model: SPARSE, fieldMap: { text: 'text' } },
      tags: { a: '1' },
      waitUntilReady: true,
    });
    assert.ok(made);
    const { embed, vectorType, dimension, metric } = await pinecone.describeIndex('words');
    assert.deepEqual([vectorType, dimension, metric], ['sparse', undefined, 'dotproduct']);
    const parameters = { truncate: 'END', max_tokens_per_sequence: 512 };
    assert.deepEqual(plain(embed), {
      model: SPARSE,
      metric: 'dotproduct',
      vectorType: 'sparse',
      fieldMap: { text: 'text' },
      readParameters: { ...parameters, input_type: 'query' },
      writeParameters: { ...parameters, input_type: 'passage' },
    });
    const index = pinecone.index('words', made.host).namespace('n');
    await index.upsertRecords(RECORDS);
    const query = { inputs: { text: 'red sea' }, topK: 3 };
    const { result, usage } = await index.searchRecords({ query });
    assert.equal(result.hits[0]?._id, 'a');
    assert.equal(usage.embedTotalTokens, 2);
    const filtered = await index.searchRecords({
      query: { ...query, filter: { wheels: 0 } },
      fields: ['wheels'],
    });
    assert.deepEqual(plain(filtered.result.hits.map(({ _id, fields }) => [_id, fields])), [
      ['c', { wheels: 0 }],
    ]);
    const reranked = await index.searchRecords({
      query,
      fields: ['text'],
      rerank: { model: BGE, rankFields: ['text'], topN: 1, query: 'blue sea' },
    });
    assert.deepEqual(
      reranked.result.hits.map(({ _id }) => _id),
      ['b'],
    );
    assert.equal(reranked.usage.rerankUnits, 1);
  });

  it('turns a plain index into an integrated one, then changes its field and parameters', async () => {
    await pinecone.createIndex({
      name: 'later',
      dimension: 1024,
      metric: 'cosine',
      spec: { serverless: PLACE },
    });
    const embed = { model: 'llama-text-embed-v2', fieldMap: { text: 'body' } };
    await pinecone.configureIndex('later', { embed });
    await pinecone.configureIndex('later', {
      embed: { fieldMap: { text: 'words' }, readParameters: { truncate: 'NONE' } },
    });
    const { embed: shown, host } = await pinecone.describeIndex('later');
    assert.deepEqual(plain([shown?.fieldMap, shown?.readParameters]), [
      { text: 'words' },
      { dimension: 1024, input_type: 'query', truncate: 'NONE' },
    ]);
    await assert.rejects(
      pinecone.configureIndex('later', { embed: { model: 'multilingual-e5-large' } }),
      /The model of an integrated index cannot be changed/,
    );
    const index = pinecone.index('later', host);
    await index.upsertRecords([{ _id: 'x', words: 'green tea' }]);
    const { result } = await index.searchRecords({ query: { inputs: { text: 'tea' }, topK: 1 } });
    assert.equal(result.hits[0]?._id, 'x');
  });

  it('reports what is wrong', async () => {
    const embed = { model: 'nothing', fieldMap: { text: 'text' } };
    await assert.rejects(pinecone.createIndexForModel({ name: 'no', ...PLACE, embed }), {
      name: 'PineconeNotFoundError',
    });
    const index = pinecone.index('words').namespace('n');
    await assert.rejects(index.upsertRecords([{ _id: 'x', text: '!!!' }]), /Line 1: .*no word/);
    await assert.rejects(
      index.searchRecords({
        query: { inputs: { text: 'red' }, topK: 2 },
        fields: ['wheels'],
        rerank: { model: BGE, rankFields: ['text'] },
      }),
      /'text' must also be listed in fields/,
    );
  });
});
