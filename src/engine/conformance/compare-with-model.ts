// Compares an index under test with the reference model.
import assert from 'node:assert/strict';
import type { Filter } from '../../domain/filter/grammar.ts';
import type { Branch, IndexBranches } from '../port/index-branches.ts';
import type {
  Match,
  NamespaceSummary,
  QueryRequest,
  ValuesRequest,
  VectorReader,
} from '../port/reader-and-writer.ts';
import { ReferenceIndex } from '../reference/reference-index.ts';
import { ANY_BYTES, type ConformanceIndex, idsOf } from './harness.ts';
import { allDifferences, branchOutcomeOf, type RandomBranchCase } from './random-branches.ts';
import { outcomeOf, RANDOM_NAMESPACES, type RandomCase } from './random-operations.ts';
import { assertSameRecords } from './same-records.ts';
import { sampleQuery } from './sample-data.ts';

const SCORE_TOLERANCE = 1e-5;
const LIMIT = 1_000;

/** Runs a case on the index and on the model, and checks that outcomes, state and matches are equal. */
export async function assertLikeModel(index: ConformanceIndex, random: RandomCase): Promise<void> {
  const model = new ReferenceIndex(random.profile);
  for (const operation of random.operations) {
    assert.deepEqual(await outcomeOf(index.writer, operation), await outcomeOf(model, operation));
  }
  await assertSameAnswers(index, model, random);
}

/** Runs a case with branches on the index and on the model, and checks the same, and how both tell branches apart. */
export async function assertBranchedLikeModel(
  index: Pick<ConformanceIndex, 'reader' | 'writer'> & { readonly branches: IndexBranches },
  random: RandomBranchCase,
): Promise<void> {
  const model = new ReferenceIndex(random.profile);
  const modelled = { writer: model, branches: asynchronous(model.branches) };
  for (const operation of random.operations)
    assert.deepEqual(await branchOutcomeOf(index, operation), await branchOutcomeOf(modelled, operation));
  await assertSameAnswers(index, model, random);
  const listed = (await index.branches.list()).filter(({ state }) => state !== 'detached');
  assert.deepEqual(listed.map(comparableBranch), model.branches.list().map(comparableBranch));
  for (const { name } of listed)
    assert.deepEqual(
      await allDifferences(index.branches, name),
      await allDifferences(modelled.branches, name),
      `differences of '${name}'`,
    );
}

/** The branches of the model, whose faults are rejections. */
export function asynchronous(branches: ReferenceIndex['branches']): IndexBranches {
  return {
    create: async (branch) => branches.create(branch, 0),
    list: async () => branches.list(),
    differences: async (request) => branches.differences(request),
    merge: async (request) => branches.merge(request),
    makeWhole: async (name) => branches.makeWhole(name),
  };
}

function comparableBranch({ name, source, records }: Branch) {
  return { name, source, records };
}

async function assertSameAnswers(
  index: Pick<ConformanceIndex, 'reader'>,
  model: ReferenceIndex,
  random: Omit<RandomCase, 'operations'>,
): Promise<void> {
  await assertSameState(index.reader, model);
  for (const namespace of RANDOM_NAMESPACES) {
    for (const filter of random.filters)
      await assertSameSelection(index.reader, model, { namespace, filter });
    for (const [i, vectors] of random.queries.entries()) {
      const include = { includeValues: i % 2 === 1, includeMetadata: i % 2 === 0 };
      const request = sampleQuery({ ...vectors, ...include, namespace, topK: random.topK });
      await assertSameMatches(index.reader, model, request);
      const { sparse } = vectors;
      const requiredTerms = [...new Set([i, sparse?.indices[0] ?? i])].sort();
      if (sparse !== null) {
        await assertSameMatches(index.reader, model, {
          ...request,
          requiredTerms: Uint32Array.from(requiredTerms),
        });
      }
      for (const filter of random.filters) {
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

/** Runs a case with an export in the middle, and checks that its import equals the model at that time. */
export async function assertCopiedLikeModel(index: ConformanceIndex, random: RandomCase): Promise<void> {
  const model = new ReferenceIndex(random.profile);
  const middle = Math.floor(random.operations.length / 2);
  for (const operation of random.operations.slice(0, middle)) {
    await outcomeOf(index.writer, operation);
    await outcomeOf(model, operation);
  }
  const copy = await index.exported();
  for (const operation of random.operations.slice(middle)) await outcomeOf(index.writer, operation);
  const made = await index.imported(copy.bytes);
  try {
    assert.equal(
      copy.recordCount,
      model.state().namespaces.reduce((sum, each) => sum + each.recordCount, 0),
    );
    await assertSameState(made.reader, model);
    for (const operation of random.operations.slice(middle)) {
      assert.deepEqual(await outcomeOf(made.writer, operation), await outcomeOf(model, operation));
    }
    await assertSameState(made.reader, model);
    await assertSameState(index.reader, model);
  } finally {
    await made.close();
    await copy.release();
  }
}

/** Checks that two indexes have the same namespaces, records and counts. */
export async function assertSameState(tested: VectorReader, model: VectorReader): Promise<void> {
  const all = { prefix: '', limit: LIMIT, after: null };
  const expected = await model.listNamespaces(all);
  const actual = await tested.listNamespaces(all);
  assert.deepEqual(actual.items.map(comparable), expected.items.map(comparable));
  assert.equal(actual.total, expected.total);
  for (const { name } of expected.items) {
    const ids = await model.listIds({ ...all, namespace: name });
    assert.deepEqual(await tested.listIds({ ...all, namespace: name }), ids);
    assertSameRecords(await tested.fetch(name, ids.items), await model.fetch(name, ids.items));
    const fields = new Set(await tested.indexedFields(name));
    for (const field of await model.indexedFields(name)) assert.ok(fields.has(field), `${field} is indexed`);
  }
}

/** Checks that a filter selects the same records, counted and fetched. */
export async function assertSameSelection(
  tested: VectorReader,
  model: VectorReader,
  { namespace, filter }: { readonly namespace: string; readonly filter: Filter },
): Promise<void> {
  assert.equal(await tested.count(namespace, filter), await model.count(namespace, filter));
  const request = { namespace, filter, limit: LIMIT, after: null, bytesMax: ANY_BYTES };
  const actual = await tested.fetchByFilter(request);
  const expected = await model.fetchByFilter(request);
  assertSameRecords(actual.items, expected.items);
  assert.equal(actual.next, null);
  const { items: ids } = await model.listIds({ namespace, prefix: '', limit: LIMIT, after: null });
  assertSameRecords(await tested.fetch(namespace, ids, filter), await model.fetch(namespace, ids, filter));
  for (const field of await model.indexedFields(namespace)) {
    const ordered = { ...request, limit: 3, order: { field, descending: true, afterNumber: null } };
    assert.deepEqual(
      idsOf((await tested.fetchByFilter(ordered)).items),
      idsOf((await model.fetchByFilter(ordered)).items),
    );
  }
  await assertSameValues(tested, model, { namespace, filter, among: null });
}

/** Checks that the values of every indexed field are counted alike. */
async function assertSameValues(
  tested: VectorReader,
  model: VectorReader,
  request: Omit<ValuesRequest, 'fields'>,
): Promise<void> {
  const fields = await model.indexedFields(request.namespace);
  const counted = { ...request, fields: fields.map((field) => ({ field, limit: LIMIT })) };
  assert.deepEqual(await tested.countValues(counted), await model.countValues(counted));
}

/** Checks that a query has the same scores in the same order. Records with nearly equal scores may be swapped. */
export async function assertSameMatches(
  tested: VectorReader,
  model: VectorReader,
  request: QueryRequest,
): Promise<void> {
  const actual = await tested.query(request);
  const expected = await model.query(request);
  const every = await model.query({ ...request, topK: LIMIT });
  const scoreOf = new Map(every.map(({ id, score }) => [id, score]));
  assert.equal(actual.length, expected.length);
  assert.equal(new Set(actual.map(({ id }) => id)).size, actual.length, 'no id twice');
  for (const [position, match] of actual.entries()) {
    assertNear(match.score, scoreOf.get(match.id), `score of ${match.id}`);
    assertNear(match.score, expected[position]?.score, `score at position ${position}`);
  }
  await assertAsStored(model, request, actual);
  const { namespace, filter, values, sparse, text = null } = request;
  if (values === null)
    await assertSameValues(tested, model, { namespace, filter, among: [{ sparse, text }] });
}

async function assertAsStored(
  store: VectorReader,
  { namespace, includeValues, includeMetadata }: QueryRequest,
  actual: readonly Match[],
): Promise<void> {
  const stored = await store.fetch(
    namespace,
    actual.map(({ id }) => id),
  );
  const expected = stored.map((record) => ({
    id: record.id,
    values: includeValues ? record.values : null,
    sparse: includeValues ? record.sparse : null,
    metadataJson: includeMetadata ? record.metadataJson : null,
  }));
  assertSameRecords(actual, expected);
}

function comparable({ name, recordCount, schema, isExplicit }: NamespaceSummary) {
  return { name, recordCount, schema, isExplicit };
}

function assertNear(actual: number, expected: number | undefined, what: string): void {
  assert.ok(expected !== undefined, `${what}: not expected at all`);
  const scale = Math.max(1, Math.abs(expected));
  assert.ok(
    Math.abs(actual - expected) <= SCORE_TOLERANCE * scale,
    `${what}: ${actual}, expected ${expected}`,
  );
}
