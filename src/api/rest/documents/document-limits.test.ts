// The limits of document calls: each accepts a request at its limit, and refuses one above it.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { DocumentSchema } from '../../../domain/document-schema.ts';
import { makeTestIndex } from '../testing/data-client.ts';

const TEXT = {
  kind: 'string',
  description: null,
  storeText: true,
  fullText: { language: 'en', stemming: false, stopWords: false, ngram: null },
  embed: null,
  sparseEmbed: null,
} as const;
const SCHEMA: DocumentSchema = {
  fields: { title: TEXT, terms: { kind: 'sparse', description: null } },
};
const DOCUMENT = { _id: 'a', title: 'x' };
const CLAUSE = { type: 'text', field: 'title', query: 'x' };

/** The name of what is limited, its limit, the call, and a body that has so many or is so long. */
type Limit = readonly [what: string, max: number, call: string, body: (count: number) => object];

const list = (count: number) => Array.from({ length: count }, (_, at) => `${at}`);
const upserted = (document: object) => ({ documents: [{ ...DOCUMENT, ...document }] });
const searched = (more: object) => ({ score_by: [CLAUSE], top_k: 1, ...more });
const sparse = (count: number) => ({ indices: list(count).map(Number), values: list(count).map(() => 1) });

const LIMITS: readonly Limit[] = [
  [
    'documents of an upsert',
    1_000,
    'upsert',
    (n) => ({ documents: list(n).map((_id) => ({ ...DOCUMENT, _id })) }),
  ],
  ['documents of an update', 1_000, 'update', (n) => ({ documents: list(n).map((_id) => ({ _id, n: 1 })) })],
  ['characters of an id', 512, 'upsert', (n) => upserted({ _id: 'i'.repeat(n) })],
  ['bytes of the name of a field', 64, 'upsert', (n) => upserted({ ['f'.repeat(n)]: 1 })],
  ['bytes of a text', 102_400, 'upsert', (n) => upserted({ title: 'x'.repeat(n) })],
  ['tokens of a text', 10_000, 'upsert', (n) => upserted({ title: 'x '.repeat(n) })],
  ['bytes of metadata', 40_960, 'upsert', (n) => upserted({ m: 'x'.repeat(n - '{"m":""}'.length) })],
  ['values of a sparse vector', 2_048, 'upsert', (n) => upserted({ terms: sparse(n) })],
  [
    'clauses of a search',
    100,
    'search',
    (n) => searched({ score_by: list(n).map((query) => ({ ...CLAUSE, query })) }),
  ],
  [
    'bytes of a query',
    10_240,
    'search',
    (n) => searched({ score_by: [{ ...CLAUSE, query: 'x'.repeat(n) }] }),
  ],
  ['matches of a search', 10_000, 'search', (top_k) => searched({ top_k })],
  [
    'tokens of $match_all',
    128,
    'search',
    (n) => searched({ filter: { title: { $match_all: list(n).join(' ') } } }),
  ],
  ['ids of a fetch', 1_000, 'fetch', (n) => ({ ids: list(n) })],
  ['documents of a page of a fetch', 10_000, 'fetch', (limit) => ({ filter: { n: 1 }, limit })],
  ['ids of a page of a list', 100, 'list', (limit) => ({ limit })],
  ['characters of a prefix', 512, 'list', (n) => ({ prefix: 'p'.repeat(n) })],
  ['ids of a delete', 1_000, 'delete', (n) => ({ ids: list(n) })],
];

for (const [what, max, name, body] of LIMITS) {
  it(`accepts ${max} ${what}, and refuses one more`, async () => {
    const index = makeTestIndex({
      documents: SCHEMA,
      dimension: null,
      vectorType: 'sparse',
      metric: 'dotproduct',
    });
    const status = async (count: number) => {
      const reply = await index.call(`${name}_documents`, { body: body(count), params: { namespace: 'n' } });
      return [reply.status < 300, reply.status < 300 ? '' : reply.text] as const;
    };
    for (const count of [max - 1, max]) assert.deepEqual(await status(count), [true, ''], String(count));
    const [isAccepted, text] = await status(max + 1);
    assert.ok(!isAccepted);
    assert.match(text, /INVALID_ARGUMENT/);
  });
}
