// Reranked searches of language models: by which field, and what happens where a hit lacks it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type JsonObject, membersOf } from '../../domain/json.ts';
import { ToolError, type ToolRequest } from '../tool.ts';
import { search } from './search-tool.ts';

const WORDS = { type: 'string', store_text: true, full_text_search: {} };
const UNSTORED = { type: 'string', store_text: false, embed: {} };

/** A service with one index of documents, which lacks what the real one lacks: a search. */
class Service {
  readonly #fields: JsonObject;
  readonly #documents: readonly JsonObject[];
  /** The fields that searches ranked by, in order; null for those as found. */
  readonly ranked: unknown[] = [];

  constructor(fields: JsonObject, documents: readonly JsonObject[]) {
    this.#fields = fields;
    this.#documents = documents;
  }

  find(args: JsonObject = {}): Promise<JsonObject> {
    return search.call({ index: 'i', query: 'x', rerank: true, ...args }, async (request) =>
      this.#answer(request),
    );
  }

  #answer({ method, body }: ToolRequest): JsonObject {
    if (method === 'GET') return { name: 'i', schema: { fields: this.#fields } };
    const { rerank, include_fields: named } = membersOf(body);
    const [field = null] = (membersOf(rerank).rank_fields ?? []) as readonly string[];
    this.ranked.push(field);
    const shown = named as readonly string[];
    const matches = this.#documents.map((document) =>
      Object.fromEntries(
        Object.entries(document).filter(
          ([name]) => name.startsWith('_') || shown[0] === '*' || shown.includes(name),
        ),
      ),
    );
    const lacking = matches.findIndex((match) => field !== null && match[field] === undefined);
    if (lacking >= 0) throw new ToolError(`field '${field}' not found in document at index ${lacking}`, 400);
    return { matches };
  }
}

describe('a reranked search of documents', () => {
  it('ranks by an embedded text, which every document has, and never by one that is not stored', async () => {
    const embedded = new Service({ title: WORDS, text: { ...WORDS, embed: {} } }, [{ _id: 'a', text: 't' }]);
    await embedded.find();
    assert.deepEqual(embedded.ranked, ['text']);
    const unstored = new Service({ summary: UNSTORED, body: WORDS }, [{ _id: 'a', body: 'b' }]);
    await unstored.find();
    assert.deepEqual(unstored.ranked, ['body']);
  });

  it('ranks by another field where a hit lacks the first, and shows the fields that were asked for', async () => {
    const documents = [
      { _id: 'a', title: 'x', body: 'y', more: 'z', n: 1 },
      { _id: 'b', more: 'z', n: 2 },
    ];
    const service = new Service({ title: WORDS, body: WORDS, more: WORDS }, documents);
    const { hits, warning } = await service.find({ fields: ['n'] });
    assert.deepEqual(service.ranked, ['title', null, 'more']);
    assert.deepEqual(hits, [
      { id: 'a', score: undefined, fields: { n: 1 } },
      { id: 'b', score: undefined, fields: { n: 2 } },
    ]);
    assert.equal(warning, undefined);
  });

  it('returns hits as found, and says so, where they have no text in common', async () => {
    const service = new Service({ title: WORDS, body: WORDS }, [
      { _id: 'a', title: 'x' },
      { _id: 'b', body: 'y' },
    ]);
    const { hits, warning } = await service.find();
    assert.deepEqual(
      (hits as readonly JsonObject[]).map(({ id }) => id),
      ['a', 'b'],
    );
    assert.equal(warning, "The hits are not reranked: field 'title' not found in document at index 1");
  });

  it('says what is wrong with an index without stored texts, and with a search that is wrong itself', async () => {
    const unstored = new Service({ summary: UNSTORED }, []);
    await assert.rejects(unstored.find(), /Index i stores no text field to rerank by: leave rerank out/);
    await assert.rejects(unstored.find({ query: undefined, vector: [1] }), /rerank requires query/);
    const wrong = async ({ method }: ToolRequest): Promise<JsonObject> => {
      if (method === 'GET') return { name: 'i', schema: { fields: { body: WORDS } } };
      throw new ToolError('bad filter', 400);
    };
    await assert.rejects(
      search.call({ index: 'i', query: 'x', rerank: true }, wrong),
      /^ToolError: bad filter$/,
    );
  });
});
