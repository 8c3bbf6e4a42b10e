// Compares an index with the reference model: its records, and its answers to random queries.
import assert from 'node:assert/strict';
import type { Filter } from '../../../domain/filter/grammar.ts';
import { assertSameRecords } from '../../conformance/same-records.ts';
import { where } from '../../conformance/sample-data.ts';
import type { QueryRequest, VectorReader } from '../../port/reader-and-writer.ts';
import type { RandomRecords } from './random-records.ts';

const SCORE_TOLERANCE = 1e-4;
const ALL = 1_000_000;
const FILTERS: readonly (Filter | null)[] = [
  null,
  where('part', { op: 'in', values: [2] }),
  where('rare', { op: 'in', values: [true] }),
  { kind: 'not', part: where('name', { op: 'in', values: ['n1', 'n2'] }) },
];

export interface BothSides {
  readonly actual: VectorReader;
  readonly model: VectorReader;
}

/** The same ids and records, and the same answers to `queries` random queries, each with and without filters. */
export async function assertSame(
  { actual, model }: BothSides,
  records: RandomRecords,
  { namespace = '', queries = 3 } = {},
): Promise<void> {
  const list = { namespace, prefix: '', limit: ALL, after: null };
  const { items } = await model.listIds(list);
  assert.deepEqual((await actual.listIds(list)).items, items);
  assertSameRecords(await actual.fetch(namespace, items), await model.fetch(namespace, items));
  for (let i = 0; i < queries; i++) {
    for (const filter of FILTERS)
      await assertSameMatches({ actual, model }, { ...records.query(namespace), filter });
  }
  for (const filter of FILTERS) {
    if (filter !== null)
      assert.equal(await actual.count(namespace, filter), await model.count(namespace, filter));
  }
}

async function assertSameMatches({ actual, model }: BothSides, request: QueryRequest): Promise<void> {
  const shown = await actual.query(request);
  const expectedMatches = await model.query(request);
  assert.deepEqual(
    shown.map(({ id, metadataJson }) => ({ id, metadataJson })),
    expectedMatches.map(({ id, metadataJson }) => ({ id, metadataJson })),
  );
  for (const [at, { score, id }] of shown.entries()) {
    const expected = expectedMatches[at]?.score ?? Number.NaN;
    const tolerance = SCORE_TOLERANCE * Math.max(1, Math.abs(expected));
    assert.ok(Math.abs(score - expected) <= tolerance, `score of ${id}: ${score}, expected ${expected}`);
  }
}
