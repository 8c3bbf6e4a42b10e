// The whole of inference by SDK 9, on a fresh machine: models, vectors, reranking, and an index that embeds by itself.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Index, Pinecone } from '@pinecone-database/pinecone';
import { DocumentIndex } from './support/document-index.ts';
import { plain } from './support/plain.ts';
import { API_KEY, type Service, startService } from './support/service.ts';

const E5 = 'multilingual-e5-large';
const LLAMA = 'llama-text-embed-v2';
const SPARSE = 'pinecone-sparse-english-v0';
const BGE = 'bge-reranker-v2-m3';
const PLACE = { cloud: 'aws', region: 'us-east-1' } as const;
const RECORDS = [
  { _id: 'fruit', chunk_text: 'An apple is a fruit that grows on trees.', kind: 'food', year: 2001 },
  { id: 'maker', chunk_text: 'Apple is a maker of computers and phones.', kind: 'trade', year: 2010 },
  { _id: 'car', chunk_text: 'A vehicle whose battery is weak may fail to start.', kind: 'trade', year: 2020 },
];

describe('inference with SDK 9', () => {
  let service: Service;
  let pinecone: Pinecone;
  before(async () => {
    service = await startService();
    pinecone = new Pinecone({ apiKey: API_KEY, controllerHostUrl: service.url });
  });
  after(() => service.dispose());

  describe('SDK 9, inference', () => {
    it('lists and describes dense, sparse and rerank models with their attributes', async () => {
      const { models = [] } = await pinecone.inference.listModels();
      const e5 = models.find(({ model }) => model === E5);
      assert.deepEqual(
        [e5?.type, e5?.vectorType, e5?.defaultDimension, e5?.modality],
        ['embed', 'dense', 1024, 'text'],
      );
      assert.ok((e5?.supportedParameters.length ?? 0) > 0 && (e5?.supportedMetrics?.length ?? 0) > 0);
      // Whose vectors they are is said where the model is described.
      assert.match(e5?.providerName ?? '', /built-in/);
      const rerankers = (await pinecone.inference.listModels({ type: 'rerank' })).models ?? [];
      assert.ok(rerankers.some(({ model }) => model === BGE));
      assert.ok(rerankers.every(({ vectorType, defaultDimension }) => !vectorType && !defaultDimension));
      const sparse =
        (await pinecone.inference.listModels({ type: 'embed', vectorType: 'sparse' })).models ?? [];
      assert.ok(sparse.some(({ model }) => model === SPARSE));
      assert.equal((await pinecone.inference.getModel(LLAMA)).maxSequenceLength, 2048);
      await assert.rejects(pinecone.inference.getModel('nothing'), { name: 'PineconeNotFoundError' });
    });

    it('embeds texts: queries and passages differ, the same text does not', async () => {
      const inputs = ['The quick brown fox', 'jumps', 'The quick brown fox'];
      const vectors = async (inputType: string) => {
        const { data, usage, vectorType } = await pinecone.inference.embed({
          model: LLAMA,
          inputs,
          parameters: { inputType, dimension: '512' },
        });
        assert.deepEqual([data.length, vectorType, usage.totalTokens], [3, 'dense', 9]);
        return data.map((each) => (each.vectorType === 'dense' ? each.values : []));
      };
      const passages = await vectors('passage');
      assert.deepEqual(passages[0], passages[2]);
      assert.ok(Math.abs(Math.hypot(...(passages[0] ?? [])) - 1) < 1e-4);
      const queries = await vectors('query');
      assert.notDeepEqual(queries[0], passages[0]);
      assert.deepEqual(
        queries.map((values) => values.length),
        [512, 512, 512],
      );
    });

    it('embeds into the index space of the hosted sparse model', async () => {
      const { data } = await pinecone.inference.embed({
        model: SPARSE,
        inputs: ['AAPL reported revenue'],
        parameters: { inputType: 'query', return_tokens: 'true' },
      });
      const [vector] = data;
      assert.ok(vector?.vectorType === 'sparse');
      const weights = vector.sparseTokens?.map((token, i) => [
        token,
        vector.sparseIndices[i],
        vector.sparseValues[i],
      ]);
      const known = new Map(weights?.map(([token, ...rest]) => [token, rest]));
      assert.deepEqual(known.get('aapl'), [1640781426, 1]);
      assert.deepEqual(known.get('revenue'), [1221765879, 1]);
    });

    it('reranks documents', async () => {
      const documents = [
        { id: '1', body: 'The sky is blue' },
        { id: '2', body: 'An apple is a fruit of the apple tree' },
      ];
      const { data, usage } = await pinecone.inference.rerank({
        model: BGE,
        query: 'what fruit grows on an apple tree',
        documents,
        rankFields: ['body'],
        topN: 1,
      });
      assert.deepEqual(
        data.map(({ index, document }) => [index, document]),
        [[1, documents[1]]],
      );
      assert.ok((data[0]?.score ?? 2) <= 1 && usage.rerankUnits === 1);
      const bare = await pinecone.inference.rerank({
        model: BGE,
        query: 'x',
        documents: ['a', 'b'],
        returnDocuments: false,
      });
      assert.ok(bare.data.length === 2 && bare.data.every(({ document }) => document === undefined));
    });

    it('names what is wrong with a request', async () => {
      const parameters = { inputType: 'passage' };
      await assert.rejects(pinecone.inference.embed({ model: 'nothing', inputs: ['x'], parameters }), {
        name: 'PineconeBadRequestError',
        message: /Model 'nothing' is not available/,
      });
      await assert.rejects(pinecone.inference.embed({ model: E5, inputs: ['x'] }), /input_type is required/);
      const documents = [{ text: 'x' }, { body: 'y' }];
      await assert.rejects(
        pinecone.inference.rerank({ model: BGE, query: 'x', documents, rankFields: ['text'] }),
        /field 'text' not found in document at index 1/,
      );
      await assert.rejects(
        pinecone.inference.rerank({
          model: BGE,
          query: 'x',
          documents: [{ a: 'b', c: 'd' }],
          rankFields: ['a', 'c'],
        }),
        /Only one rank field is supported for model/,
      );
    });
  });

  describe('SDK 9, an index with integrated embedding', () => {
    let index: Index;
    before(async () => {
      const made = await pinecone.createIndexForModel({
        name: 'texts',
        ...PLACE,
        embed: { model: E5, fieldMap: { text: 'chunk_text' } },
        waitUntilReady: true,
      });
      index = pinecone.index({ host: made?.host ?? '', namespace: 'docs' });
      await index.upsertRecords({ records: RECORDS });
    });

    it('is described with its model, field and parameters', async () => {
      const { embed, dimension, metric } = await pinecone.describeIndex('texts');
      const parameters = { dimension: 1024, truncate: 'END' };
      assert.deepEqual(plain(embed), {
        model: E5,
        metric: 'cosine',
        dimension: 1024,
        fieldMap: { text: 'chunk_text' },
        readParameters: { ...parameters, input_type: 'query' },
        writeParameters: { ...parameters, input_type: 'passage' },
      });
      assert.deepEqual([dimension, metric], [1024, 'cosine']);
    });

    it('is searched by text, with filter and fields', async () => {
      const found = await index.searchRecords({ query: { inputs: { text: 'fruit of trees' }, topK: 2 } });
      assert.deepEqual(
        found.result.hits.map(({ _id }) => _id),
        ['fruit', 'maker'],
      );
      const [hit] = found.result.hits;
      assert.deepEqual(hit?.fields, { chunk_text: RECORDS[0]?.chunk_text, kind: 'food', year: 2001 });
      assert.deepEqual([found.usage.readUnits, found.usage.embedTotalTokens], [1, 3]);
      const filtered = await index.searchRecords({
        query: { inputs: { text: 'apple' }, topK: 5, filter: { kind: 'trade', year: { $lt: 2015 } } },
        fields: ['year'],
      });
      assert.deepEqual(plain(filtered.result.hits.map(({ _id, fields }) => [_id, fields])), [
        ['maker', { year: 2010 }],
      ]);
    });

    it('finds a paraphrase that shares no word with the query', async () => {
      const query = { inputs: { text: "automobile won't begin, low accumulator" }, topK: 1 };
      assert.equal((await index.searchRecords({ query })).result.hits[0]?._id, 'car');
    });

    it('reranks what it finds', async () => {
      const { result, usage } = await index.searchRecords({
        query: { inputs: { text: 'computers' }, topK: 3 },
        fields: ['chunk_text'],
        rerank: { model: BGE, rankFields: ['chunk_text'], topN: 1, query: 'fruit growing on trees' },
      });
      assert.deepEqual(
        result.hits.map(({ _id }) => _id),
        ['fruit'],
      );
      assert.ok((result.hits[0]?._score ?? 2) <= 1);
      assert.deepEqual([usage.rerankUnits, usage.embedTotalTokens], [1, 1]);
    });

    it('is searched by id and by vector, and returns its vectors like any index', async () => {
      const byId = await index.searchRecords({ query: { id: 'fruit', topK: 1 } });
      assert.deepEqual(
        byId.result.hits.map(({ _id }) => _id),
        ['fruit'],
      );
      const { records } = await index.fetch({ ids: ['fruit'] });
      const { values = [], metadata } = records.fruit ?? {};
      assert.deepEqual([values.length, metadata?.chunk_text], [1024, RECORDS[0]?.chunk_text]);
      const byVector = await index.searchRecords({ query: { vector: { values: [...values] }, topK: 1 } });
      assert.equal(byVector.result.hits[0]?._id, 'fruit');
      const { matches } = await index.query({ id: 'fruit', topK: 1 });
      assert.equal(matches[0]?.id, 'fruit');
    });

    it('searches words on a sparse index, and keeps only hits with the required terms', async () => {
      const made = await pinecone.createIndexForModel({
        name: 'words',
        ...PLACE,
        embed: { model: SPARSE, fieldMap: { text: 'chunk_text' } },
      });
      const words = pinecone.index({ host: made?.host ?? '' });
      await words.upsertRecords({ records: RECORDS });
      const found = async (terms?: string[]) => {
        const matchTerms = terms === undefined ? {} : { matchTerms: { strategy: 'all', terms } };
        const query = { inputs: { text: 'an apple' }, topK: 5, ...matchTerms };
        return (await words.searchRecords({ query })).result.hits.map(({ _id }) => _id);
      };
      assert.deepEqual(await found(), ['fruit', 'maker']);
      assert.deepEqual(await found(['Computers', 'phones']), ['maker']);
      assert.deepEqual(await found(['computers', 'trees']), []);
      await assert.rejects(
        words.upsertRecords({ records: [{ id: 'x', chunk_text: '?!' }] }),
        /Line 1: .*no word/,
      );
    });

    it('finds other forms of words and related words on a sparse index and by a sparse embedded field', async () => {
      const texts = {
        exact: 'an astronaut',
        form: 'two astronauts',
        related: 'a cosmonaut',
        other: 'a submarine',
      };
      const rows = Object.entries(texts).map(([_id, chunk_text]) => ({ _id, chunk_text }));
      const words = pinecone.index({ name: 'words', namespace: 'related' });
      await words.upsertRecords({ records: rows });
      const found = async (text: string, terms?: string[]) => {
        const matchTerms = terms === undefined ? {} : { matchTerms: { strategy: 'all', terms } };
        const { result } = await words.searchRecords({ query: { inputs: { text }, topK: 5, ...matchTerms } });
        return result.hits.map(({ _id }) => _id);
      };
      assert.deepEqual(await found('astronaut'), ['exact', 'form', 'related']);
      assert.deepEqual(await found('submarines'), ['other']);
      assert.deepEqual(await found('space exploration', ['astronaut']), ['exact']);
      const parameters = { inputType: 'query', returnTokens: 'true' };
      const { data } = await pinecone.inference.embed({ model: SPARSE, inputs: ['astronaut'], parameters });
      assert.partialDeepStrictEqual(data, [{ sparseTokens: ['astronaut'], sparseValues: [1] }]);

      const field = { type: 'string', sparse_embed: {} };
      const made = await service.call('POST', '/indexes', {
        body: { name: 'notes', schema: { fields: { note: field } } },
      });
      assert.equal(made.status, 201, made.text);
      await DocumentIndex.ready(service, 'notes');
      const { documents } = pinecone.index({ name: 'notes', namespace: 'n' });
      await documents.upsert({ documents: rows.map(({ _id, chunk_text }) => ({ _id, note: chunk_text })) });
      const scoreBy = [{ type: 'sparse_embed', fields: ['note'], query: 'submarines' }];
      const { matches } = await documents.search({ topK: 5, scoreBy });
      assert.deepEqual(
        matches.map(({ _id }) => _id),
        ['other'],
      );
    });

    it('reports the invalid line, and stores nothing of the request', async () => {
      const bad = [
        { id: 'new', chunk_text: 'fine' },
        { id: 'worse', text: 'in the wrong field' },
      ];
      await assert.rejects(index.upsertRecords({ records: bad }), {
        name: 'PineconeBadRequestError',
        message: /Line 2: Field 'chunk_text', which the index embeds, is missing/,
      });
      assert.deepEqual((await index.fetch({ ids: ['new', 'worse'] })).records, {});
    });

    it('refuses texts on an index that embeds none', async () => {
      const host = (
        await pinecone.createIndex({
          name: 'plain',
          dimension: 4,
          metric: 'cosine',
          spec: { serverless: PLACE },
        })
      )?.host;
      const other = pinecone.index({ host: host ?? '' });
      const message = /Integrated inference is not configured for this index/;
      await assert.rejects(other.upsertRecords({ records: RECORDS }), message);
      await assert.rejects(other.searchRecords({ query: { inputs: { text: 'x' }, topK: 1 } }), message);
    });

    it('keeps its texts and vectors across a restart', async () => {
      await service.restart();
      const again = new Pinecone({ apiKey: API_KEY, controllerHostUrl: service.url }).index({
        name: 'texts',
        namespace: 'docs',
      });
      const { result } = await again.searchRecords({
        query: { inputs: { text: 'fruit of trees' }, topK: 1 },
      });
      assert.equal(result.hits[0]?._id, 'fruit');
    });
  });
});
