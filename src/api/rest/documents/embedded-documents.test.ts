// Documents whose texts the server embeds: what is stored, found again, counted and refused.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shareAliases } from '../../../domain/aliases/alias-names.ts';
import type { DocumentSchema, StringField } from '../../../domain/document-schema.ts';
import { makeTestIndex, type TestIndex, type TestReply } from '../testing/data-client.ts';
import { embedding } from '../testing/text-client.ts';

const ANALYSIS = { language: 'en', stemming: false, stopWords: false, ngram: null } as const;

function embeddedIndex(details: Partial<StringField> = {}): TestIndex {
  const text: StringField = {
    kind: 'string',
    description: null,
    storeText: true,
    fullText: ANALYSIS,
    embed: embedding('llama-text-embed-v2'),
    sparseEmbed: embedding('pinecone-sparse-english-v0'),
    ...details,
  };
  const documents: DocumentSchema = { fields: { text } };
  const dimension = text.embed === null ? null : 384;
  return makeTestIndex({ documents, dimension, metric: dimension === null ? 'dotproduct' : 'cosine' });
}

function post({ call }: TestIndex, name: string, body: unknown): Promise<TestReply> {
  return call(`${name}_documents`, { body, params: { namespace: 'n' } });
}

async function ids(index: TestIndex, type: string, query: string): Promise<readonly string[]> {
  const reply = await post(index, 'search', { score_by: [{ type, field: 'text', query }], top_k: 1 });
  assert.equal(reply.status, 200, reply.text);
  const { matches } = reply.json as { readonly matches: readonly { readonly _id: string }[] };
  return matches.map(({ _id }) => _id);
}

const DOCUMENTS = [
  { _id: 'a', text: 'red apple', n: 1 },
  { _id: 'b', text: 'green pear', n: 2 },
];

describe('embedded documents', () => {
  it('are refused for a blank text of a dense vector, and have no sparse vector of one', async () => {
    const blank = { documents: [DOCUMENTS[0], { _id: 'blank', text: ' \n' }] };
    const refused = await post(embeddedIndex(), 'upsert', blank);
    assert.deepEqual(
      [refused.status, (refused.json as { readonly error: { readonly message: string } }).error.message],
      [400, 'Document "blank": Field \'text\' must not be blank: its text is embedded'],
    );
    const index = embeddedIndex({ embed: null });
    const stored = await post(index, 'upsert', blank);
    assert.deepEqual(
      [stored.status, stored.json],
      [202, { upserted_count: 2, usage: { embed_total_tokens: 2 } }],
    );
    assert.deepEqual(await ids(index, 'sparse_embed', 'apple'), ['a']);
  });

  it('are found by both embeddings and by their words, and count their tokens', async () => {
    const index = embeddedIndex();
    const reply = await post(index, 'upsert', { documents: DOCUMENTS });
    // Two words each, for two models.
    assert.deepEqual(reply.json, { upserted_count: 2, usage: { embed_total_tokens: 8 } });
    for (const type of ['embed', 'sparse_embed', 'text']) {
      assert.deepEqual([type, await ids(index, type, 'pear')], [type, ['b']]);
    }
    const found = await post(index, 'search', {
      score_by: [{ type: 'embed', field: 'text', query: 'red' }],
      top_k: 1,
      include_fields: ['*'],
    });
    const { matches, usage } = found.json as { readonly matches: readonly object[]; readonly usage: object };
    assert.partialDeepStrictEqual(matches, [DOCUMENTS[0]]);
    assert.deepEqual(Object.keys(matches[0] ?? {}), ['_id', '_score', 'text', 'n']);
    assert.partialDeepStrictEqual(usage, { embed_total_tokens: 1 });
  });

  it('embed a changed text anew, and keep their vectors when other fields change', async () => {
    const index = embeddedIndex();
    await post(index, 'upsert', { documents: DOCUMENTS });
    const changed = await post(index, 'update', { documents: [{ _id: 'a', text: 'ripe plum' }] });
    assert.deepEqual(changed.json, { usage: { embed_total_tokens: 4 } });
    assert.deepEqual(await ids(index, 'sparse_embed', 'plum'), ['a']);
    assert.deepEqual(await ids(index, 'sparse_embed', 'apple'), []);
    const other = await post(index, 'update', { documents: [{ _id: 'a', n: 9 }] });
    assert.deepEqual([other.status, other.json], [202, {}]);
    assert.deepEqual(await ids(index, 'embed', 'plum'), ['a']);
  });

  it('keep no text where it is not to be stored', async () => {
    const index = embeddedIndex({ storeText: false, fullText: null });
    await post(index, 'upsert', { documents: DOCUMENTS });
    assert.deepEqual(await ids(index, 'embed', 'pear'), ['b']);
    const { json } = await post(index, 'fetch', { ids: ['a'] });
    assert.deepEqual((json as { readonly documents: object }).documents, { a: { _id: 'a', n: 1 } });
  });

  it('lose their sparse vector with a text without words', async () => {
    const index = embeddedIndex({ embed: null });
    await post(index, 'upsert', { documents: DOCUMENTS });
    await post(index, 'update', { documents: [{ _id: 'a', text: ' ' }] });
    assert.deepEqual(await ids(index, 'sparse_embed', 'apple'), []);
    assert.deepEqual(await ids(index, 'sparse_embed', 'pear'), ['b']);
  });

  const many = Array.from({ length: 97 }, (_, i) => ({ _id: `${i}`, text: 'x' }));
  const refused: readonly (readonly [string, object, RegExp])[] = [
    ['upsert', { documents: many }, /^documents must hold 1 to 96 documents, got 97$/],
    ['upsert', { documents: [{ _id: 'a', n: 1 }] }, /^Document 'a' is missing required field 'text'$/],
    ['upsert', { documents: [{ _id: 'a', text: 5 }] }, /^Field 'text' must be a string$/],
    ['update', { documents: [{ _id: 'a', _remove_fields: ['text'] }] }, /is required and cannot be removed$/],
    [
      'search',
      { score_by: [{ type: 'sparse_embed', field: 'text', query: 'x'.repeat(10_241) }], top_k: 1 },
      /at most 10240 are allowed$/,
    ],
  ];
  for (const [name, body, message] of refused) {
    it(`refuse in ${name}: ${message.source}`, async () => {
      const reply = await post(embeddedIndex(), name, body);
      assert.equal(reply.status, 400, reply.text);
      assert.match((reply.json as { readonly error: { readonly message: string } }).error.message, message);
    });
  }

  it('are refused before a model is asked where the body has a wrong key, or the namespace is an alias', async () => {
    const index = embeddedIndex();
    const aliases = shareAliases({ targets: [['live', 'n']], reserved: null });
    assert.ok(aliases !== undefined);
    const documents = DOCUMENTS;
    const filter = { n: 1 };
    const write = async (name: string, body: object, namespace = 'n'): Promise<string> => {
      const { status, json } = await index.call(`${name}_documents`, {
        body,
        params: { namespace },
        aliases,
      });
      const { error } = json as { readonly error: { readonly message: string } };
      return `${status} ${error.message}`;
    };
    assert.deepEqual(
      [
        await write('upsert', { documents, filter }),
        await write('update', { documents, more: 1 }),
        await write('update', { documents, filter }),
        await write('update', { documents, set_fields: { n: 2 } }),
        await write('upsert', { documents }, 'live'),
        await write('update', { documents }, 'live'),
        await write('upsert', { documents }, ''),
      ],
      [
        "400 The request body has an unknown key 'filter'; it takes documents",
        "400 The request body has an unknown key 'more'; it takes documents, filter, set_fields, remove_fields",
        '400 Give exactly one of documents and filter',
        '400 set_fields and remove_fields are for updates by filter',
        '409 The name live is in use by a namespace alias. Write to its target namespace.',
        '412 The name live is a namespace alias. Write to its target namespace.',
        '400 The path names no namespace; the name of the default one is __default__',
      ],
    );
    assert.equal(index.inference.counts.texts, 0);
    assert.equal((await post(index, 'upsert', { documents })).status, 202);
    assert.equal(index.inference.counts.texts, 4);
  });

  it('embed at most the documents of a request that the model takes at once', async () => {
    const index = embeddedIndex();
    assert.equal((await post(index, 'upsert', { documents: many.slice(1) })).status, 202);
  });
});
