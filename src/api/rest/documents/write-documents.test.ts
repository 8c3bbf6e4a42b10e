// Upsert, update and delete of documents: what they store, and every body they refuse.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DocumentSchema } from '../../../domain/document-schema.ts';
import { DOCUMENT_BYTES_MAX, TEXT_TOKENS_MAX, TEXT_VALUE_BYTES_MAX } from '../../../domain/limits.ts';
import { makeTestIndex, type TestIndex, type TestReply } from '../testing/data-client.ts';

const ANALYSIS = { language: 'en', stemming: false, stopWords: false, ngram: null } as const;
const SCHEMA: DocumentSchema = {
  fields: {
    title: {
      kind: 'string',
      description: null,
      storeText: true,
      fullText: ANALYSIS,
      embed: null,
      sparseEmbed: null,
    },
    dense: { kind: 'dense', dimension: 2, metric: 'dotproduct', description: null },
    sparse: { kind: 'sparse', description: null },
  },
};
/** The same without a required field. */
const LOOSE: DocumentSchema = { fields: { ...SCHEMA.fields, dense: { kind: 'sparse', description: null } } };
const A = {
  _id: 'a',
  title: 'Apple pie',
  dense: [1, 0.4],
  sparse: { indices: [7, 2], values: [0.1, 3] },
  n: 1,
};

function documentIndex(): TestIndex {
  return makeTestIndex({ documents: SCHEMA, dimension: 2, metric: 'dotproduct' });
}

async function post({ call }: TestIndex, name: string, body: unknown): Promise<TestReply> {
  return call(`${name}_documents`, { body, params: { namespace: 'n' } });
}

async function stored(index: TestIndex, id = 'a'): Promise<unknown> {
  const reply = await post(index, 'fetch', { ids: [id] });
  return (reply.json as { readonly documents: Readonly<Record<string, unknown>> }).documents[id];
}

async function refuses(
  index: TestIndex,
  name: string,
  body: unknown,
  message: string | RegExp,
  status = 400,
) {
  const reply = await post(index, name, body);
  const { error } = reply.json as { readonly error?: { readonly message: string } };
  assert.equal(reply.status, status, reply.text);
  if (typeof message === 'string') assert.equal(error?.message, message);
  else assert.match(String(error?.message), message);
}

describe('upsert documents', () => {
  it('stores whole documents, which fetch returns as they were given', async () => {
    const index = documentIndex();
    const reply = await post(index, 'upsert', { documents: [A, { _id: 'b', dense: [0, 1], tags: ['x'] }] });
    assert.deepEqual([reply.status, reply.json], [202, { upserted_count: 2 }]);
    assert.deepEqual(await stored(index), { ...A, sparse: { indices: [2, 7], values: [3, 0.1] } });
    await post(index, 'upsert', { documents: [{ _id: 'a', dense: [0, 1] }] });
    assert.deepEqual(await stored(index), { _id: 'a', dense: [0, 1] });
  });

  const field = (name: string, value: unknown) => ({ documents: [{ ...A, [name]: value }] });
  const refused: readonly (readonly [string, unknown, string | RegExp])[] = [
    ['a missing list', {}, 'documents must be a list of documents'],
    ['an empty list', { documents: [] }, 'documents must hold 1 to 1000 documents, got 0'],
    [
      'too many documents',
      { documents: Array.from({ length: 1_001 }, (_, i) => ({ _id: `${i}`, dense: [1, 0] })) },
      'documents must hold 1 to 1000 documents, got 1001',
    ],
    ['an unknown key', { documents: [A], vectors: [] }, /unknown key 'vectors'/],
    ['an id twice', { documents: [A, A] }, 'documents hold the _id "a" twice'],
    ['a document without an id', { documents: [{ dense: [1, 0] }] }, 'Document _id must be a string'],
    [
      'two documents without an id',
      { documents: [{ dense: [1, 0] }, { dense: [0, 1] }] },
      'Document _id must be a string',
    ],
    ['what is no document', { documents: ['a'] }, 'Each document must be an object with _id'],
    ['a null field', field('n', null), /^Field 'n' must not be null/],
    ['a reserved name', field('_score', 1), "Field '_score': field names must not start with '_' or '$'"],
    ['an operator as a name', field('$eq', 1), "Field '$eq': field names must not start with '_' or '$'"],
    [
      'more fields than could be metadata',
      {
        documents: [
          { ...A, ...Object.fromEntries(Array.from({ length: 10_300 }, (_, at) => [`f${at}`, 1])) },
        ],
      },
      /^A document has 103\d\d fields; at most 10240 are allowed$/,
    ],
    ['a long name', field('x'.repeat(65), 1), /at most 64 bytes long$/],
    [
      'a document without its dense vector',
      { documents: [{ _id: 'a', title: 'x' }] },
      "Document 'a' is missing required field 'dense'",
    ],
    ['a text in a vector field', field('dense', 'text'), 'Vector values must be an array of numbers'],
    [
      'a vector of another dimension',
      field('dense', [1]),
      'Vector dimension 1 does not match the dimension of the index 2',
    ],
    ['a vector of zeros', field('dense', [0, 0]), /contains only zeros$/],
    [
      'a sparse vector with other keys',
      field('sparse', { indices: [1], values: [1], n: 1 }),
      "Field 'sparse' must be an object with the lists indices and values",
    ],
    ['numbers in a text field', field('title', 5), "Field 'title' must be a string"],
    [
      'a nested value',
      field('n', { a: 1 }),
      "Field 'n': Field values must be a boolean, number, string, or array of strings",
    ],
    [
      'a text over its size',
      field('title', 'x'.repeat(TEXT_VALUE_BYTES_MAX + 1)),
      "Field 'title' has a text of 102401 bytes; at most 102400 are allowed",
    ],
    [
      'a text with too many tokens',
      field('title', 'x '.repeat(TEXT_TOKENS_MAX + 1)),
      "Field 'title' has a text of 10001 tokens; at most 10000 are allowed",
    ],
    ['too much metadata', field('n', 'x'.repeat(41_000)), /exceeds the limit of 40960 bytes$/],
  ];
  for (const [what, body, message] of refused) {
    it(`refuses ${what}, and stores nothing`, async () => {
      const index = documentIndex();
      await refuses(index, 'upsert', body, message);
      assert.equal(await stored(index), undefined);
    });
  }

  it('accepts texts at their limits', async () => {
    const index = documentIndex();
    const long = 'x'.repeat(TEXT_VALUE_BYTES_MAX);
    assert.equal((await post(index, 'upsert', field('title', long))).status, 202);
    assert.equal((await post(index, 'upsert', field('title', 'x '.repeat(TEXT_TOKENS_MAX)))).status, 202);
  });

  it('answers 413 for a request over its size, which clients halve', async () => {
    const body = field('title', 'x'.repeat(DOCUMENT_BYTES_MAX));
    await refuses(documentIndex(), 'upsert', body, /exceeds the limit of 2097152 bytes$/, 413);
  });

  it('refuses metadata alone where no field is required', async () => {
    const index = makeTestIndex({
      documents: LOOSE,
      dimension: null,
      vectorType: 'sparse',
      metric: 'dotproduct',
    });
    const message =
      "Document 'a' must have at least one of the searchable fields of the index: title, dense, sparse";
    await refuses(index, 'upsert', { documents: [{ _id: 'a', n: 1 }] }, message);
  });
});

describe('update documents', () => {
  async function changed(body: unknown): Promise<{ readonly reply: TestReply; readonly document: unknown }> {
    const index = documentIndex();
    await post(index, 'upsert', { documents: [A] });
    return { reply: await post(index, 'update', body), document: await stored(index) };
  }
  const sorted = { ...A, sparse: { indices: [2, 7], values: [3, 0.1] } };

  it('sets fields, removes fields, and leaves all others', async () => {
    const patch = { _id: 'a', title: 'Pear', new: true, _remove_fields: ['n', 'sparse'] };
    const { reply, document } = await changed({ documents: [patch, { _id: 'unknown', n: 5 }] });
    assert.deepEqual([reply.status, reply.json], [202, {}]);
    assert.deepEqual(document, { _id: 'a', title: 'Pear', dense: A.dense, new: true });
  });

  it('sets and removes metadata by filter, and counts the matches', async () => {
    const { reply, document } = await changed({
      filter: { n: 1 },
      set_fields: { m: 2 },
      remove_fields: ['n'],
    });
    assert.deepEqual([reply.status, reply.json], [202, { matched_records: 1 }]);
    const { n: _, ...kept } = sorted;
    assert.deepEqual(document, { ...kept, m: 2 });
    const none = await changed({ filter: { n: 9 }, set_fields: { m: 2 } });
    assert.deepEqual(none.reply.json, { matched_records: 0 });
  });

  const refused: readonly (readonly [string, unknown, RegExp])[] = [
    ['neither documents nor a filter', {}, /^Give exactly one of documents and filter$/],
    ['both', { documents: [A], filter: { n: 1 }, set_fields: { n: 2 } }, /^Give exactly one/],
    ['documents with set_fields', { documents: [A], set_fields: { n: 2 } }, /are for updates by filter$/],
    ['a filter without a change', { filter: { n: 1 }, set_fields: {} }, /needs set_fields or remove_fields$/],
    ['an empty filter', { filter: {}, set_fields: { n: 2 } }, /^filter must not be empty$/],
    [
      'a field both set and removed',
      { documents: [{ _id: 'a', n: 2, _remove_fields: ['n'] }] },
      /^Field 'n' cannot be both set and removed$/,
    ],
    [
      'the removal of a required field',
      { documents: [{ _id: 'a', _remove_fields: ['dense'] }] },
      /^Field 'dense' is required and cannot be removed$/,
    ],
    [
      'a search field by filter',
      { filter: { n: 1 }, set_fields: { title: 'x' } },
      /^Field 'title' is a search field/,
    ],
    [
      'words in the filter',
      { filter: { title: { $match_any: 'apple' } }, set_fields: { n: 2 } },
      /^operator \$match_any on field title is not supported in updates and deletes$/,
    ],
  ];
  for (const [what, body, message] of refused) {
    it(`refuses ${what}, and changes nothing`, async () => {
      const { reply, document } = await changed(body);
      assert.equal(reply.status, 400);
      assert.match((reply.json as { readonly error: { readonly message: string } }).error.message, message);
      assert.deepEqual(document, sorted);
    });
  }
});

describe('delete documents', () => {
  it('deletes by ids without a count, and by filter with one', async () => {
    const index = documentIndex();
    await post(index, 'upsert', { documents: [A, { ...A, _id: 'b' }, { ...A, _id: 'c', n: 2 }] });
    assert.deepEqual((await post(index, 'delete', { ids: ['a', 'unknown'] })).json, {});
    assert.deepEqual((await post(index, 'delete', { filter: { n: 1 } })).json, { matched_records: 1 });
    assert.deepEqual((await post(index, 'delete', { filter: { n: 1 } })).json, { matched_records: 0 });
    assert.deepEqual((await post(index, 'delete', { delete_all: true })).json, {});
    assert.equal(await stored(index, 'c'), undefined);
  });

  it('accepts a namespace that does not exist', async () => {
    for (const body of [{ ids: ['a'] }, { delete_all: true }]) {
      const reply = await post(documentIndex(), 'delete', body);
      assert.deepEqual([reply.status, reply.json], [202, {}]);
    }
    assert.deepEqual((await post(documentIndex(), 'delete', { filter: { n: 1 } })).json, {
      matched_records: 0,
    });
  });

  const refused: readonly (readonly [object, RegExp])[] = [
    [{}, /^Give exactly one of ids, filter and delete_all$/],
    [{ delete_all: false }, /^Give exactly one/],
    [{ ids: ['a'], delete_all: true }, /^Give exactly one/],
    [{ ids: [] }, /^ids must hold 1 to 1000 ids, got 0$/],
    [{ filter: {} }, /^filter must not be empty$/],
    [{ filter: { title: { $match_phrase: 'apple' } } }, /not supported in updates and deletes$/],
    [{ filter: { dense: { $eq: 1 } } }, /^filter cannot use field dense, which holds vectors$/],
  ];
  for (const [body, message] of refused) {
    it(`refuses ${JSON.stringify(body)}`, () => refuses(documentIndex(), 'delete', body, message));
  }
});
