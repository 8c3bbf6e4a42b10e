// Compares what an implementation shows with what the reference model shows.
import assert from 'node:assert/strict';
import type { Filter } from '../../domain/filter/grammar.ts';
import type { Match, QueryRequest, VectorReader } from '../port/reader-and-writer.ts';
import { ReferenceIndex } from '../reference/reference-index.ts';
import { ANY_BYTES, type ConformanceIndex } from './harness.ts';
import { outcomeOf, RANDOM_NAMESPACES, type RandomCase } from './random-operations.ts';
import { assertSameRecords } from './same-records.ts';
import { sampleQuery } from './sample-data.ts';

const SCORE_TOLERANCE = 1e-5;
const LIMIT = 1_000;

/** Runs a case on the index and on the model: the same outcomes, the same state, the same answers. */
export async function assertLikeModel(index: ConformanceIndex, facts: RandomCase): Promise<void> {
  const model = new ReferenceIndex(facts.profile);
  for (const operation of facts.operations) {
    assert.deepEqual(await outcomeOf(index.writer, operation), await outcomeOf(model, operation));
  }
  await assertSameState(index.reader, model);
  for (const namespace of RANDOM_NAMESPACES) {
    for (const filter of facts.filters) await assertSameSelection(index.reader, model, { namespace, filter });
    for (const [i, vectors] of facts.queries.entries()) {
      const include = { includeValues: i % 2 === 1, includeMetadata: i % 2 === 0 };
      const request = sampleQuery({ ...vectors, ...include, namespace, topK: facts.topK });
      await assertSameMatches(index.reader, model, request);
      const { sparse } = vectors;
      const requiredTerms = [...new Set([i, sparse?.indices[0] ?? i])].sort();
      if (sparse !== null) {
        await assertSameMatches(index.reader, model, {
          ...request,
          requiredTerms: Uint32Array.from(requiredTerms),
        });
      }
      for (const filter of facts.filters) {
        await assertSameMatches(index.reader, model, { ...request, filter });
        if (sparse === null) continue;
        await assertSameMatches(index.reader, model, {
          ...request,
          filter,
          requiredTerms: sparse.indices.slice(0, 2),
        });
      }
    }
  }
}

/** Runs a case with an export in the middle of it: what is made of its bytes is like the model was then. */
export async function assertCopiedLikeModel(index: ConformanceIndex, facts: RandomCase): Promise<void> {
  const model = new ReferenceIndex(facts.profile);
  const middle = Math.floor(facts.operations.length / 2);
  for (const operation of facts.operations.slice(0, middle)) {
    await outcomeOf(index.writer, operation);
    await outcomeOf(model, operation);
  }
  const copy = await index.exported();
  for (const operation of facts.operations.slice(middle)) await outcomeOf(index.writer, operation);
  const made = await index.imported(copy.bytes);
  try {
    assert.equal(
      copy.recordCount,
      model.state().namespaces.reduce((sum, each) => sum + each.recordCount, 0),
    );
    await assertSameState(made.reader, model);
    for (const operation of facts.operations.slice(middle)) {
      assert.deepEqual(await outcomeOf(made.writer, operation), await outcomeOf(model, operation));
    }
    await assertSameState(made.reader, model);
    await assertSameState(index.reader, model);
  } finally {
    await made.close();
    await copy.release();
  }
}

/** The same namespaces, records and counts. */
export async function assertSameState(actual: VectorReader, expected: VectorReader): Promise<void> {
  const all = { prefix: '', limit: LIMIT, after: null };
  const wanted = await expected.listNamespaces(all);
  const shown = await actual.listNamespaces(all);
  assert.deepEqual(shown.items.map(comparable), wanted.items.map(comparable));
  assert.equal(shown.total, wanted.total);
  for (const { name } of wanted.items) {
    const ids = await expected.listIds({ ...all, namespace: name });
    assert.deepEqual(await actual.listIds({ ...all, namespace: name }), ids);
    assertSameRecords(await actual.fetch(name, ids.items), await expected.fetch(name, ids.items));
    const fields = new Set(await actual.indexedFields(name));
    for (const field of await expected.indexedFields(name))
      assert.ok(fields.has(field), `${field} is indexed`);
  }
}

/** The same records selected by a filter, counted and fetched. */
async function assertSameSelection(
  actual: VectorReader,
  expected: VectorReader,
  { namespace, filter }: { readonly namespace: string; readonly filter: Filter },
): Promise<void> {
  assert.equal(await actual.count(namespace, filter), await expected.count(namespace, filter));
  const request = { namespace, filter, limit: LIMIT, after: null, bytesMax: ANY_BYTES };
  const shown = await actual.fetchByFilter(request);
  const wanted = await expected.fetchByFilter(request);
  assertSameRecords(shown.items, wanted.items);
  assert.equal(shown.next, null);
}

/** The same scores in the same order; records whose scores nearly tie may trade places. */
async function assertSameMatches(
  actual: VectorReader,
  expected: VectorReader,
  request: QueryRequest,
): Promise<void> {
  const shown = await actual.query(request);
  const wanted = await expected.query(request);
  const every = await expected.query({ ...request, topK: LIMIT });
  const scoreOf = new Map(every.map(({ id, score }) => [id, score]));
  assert.equal(shown.length, wanted.length);
  assert.equal(new Set(shown.map(({ id }) => id)).size, shown.length, 'no id twice');
  for (const [position, match] of shown.entries()) {
    assertNear(match.score, scoreOf.get(match.id), `score of ${match.id}`);
    assertNear(match.score, wanted[position]?.score, `score at place ${position}`);
  }
  await assertAsStored(expected, request, shown);
}

async function assertAsStored(
  store: VectorReader,
  { namespace, includeValues, includeMetadata }: QueryRequest,
  shown: readonly Match[],
): Promise<void> {
  const stored = await store.fetch(
    namespace,
    shown.map(({ id }) => id),
  );
  const wanted = stored.map((record) => ({
    id: record.id,
    values: includeValues ? record.values : null,
    sparse: includeValues ? record.sparse : null,
    metadataJson: includeMetadata ? record.metadataJson : null,
  }));
  assertSameRecords(shown, wanted);
}

function comparable({ name, recordCount, schema }: { name: string; recordCount: number; schema: unknown }) {
  return { name, recordCount, schema };
}

function assertNear(actual: number, expected: number | undefined, what: string): void {
  assert.ok(expected !== undefined, `${what}: not expected at all`);
  const scale = Math.max(1, Math.abs(expected));
  assert.ok(
    Math.abs(actual - expected) <= SCORE_TOLERANCE * scale,
    `${what}: ${actual}, expected ${expected}`,
  );
}
