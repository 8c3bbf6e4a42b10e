// Random profiles, writes and queries for the property tests of the conformance suite.
import fc from 'fast-check';
import { Fault } from '../../domain/faults.ts';
import { type Area, unitsOf } from '../../domain/filter/geo.ts';
import type { Filter } from '../../domain/filter/grammar.ts';
import { momentOf } from '../../domain/filter/moment.ts';
import type { IndexProfile, MetadataSchema } from '../../domain/index-model.ts';
import { scoresSparse } from '../../domain/records/vector-record.ts';
import type { Metadata, StorableRecord, VectorWriter } from '../port/reader-and-writer.ts';
import { sampleProfile, sparseOf, where } from './sample-data.ts';

export const RANDOM_NAMESPACES = ['', 'a', 'ab', 'b'];
const IDS = ['1', '10', '2', 'a', 'a#1', 'a#2', 'Z', '~'];
const GENRES = ['drama', 'comedy', 'noir'];
const RECORDS_CHANGED_MAX = 1_000;

const SHAPES: readonly Partial<IndexProfile>[] = [
  { metric: 'cosine' },
  { metric: 'euclidean' },
  { metric: 'dotproduct' },
  { metric: 'dotproduct', vectorType: 'sparse', dimension: null },
];

type Vectors = Pick<StorableRecord, 'values' | 'sparse'>;

export type Operation = (writer: VectorWriter) => Promise<unknown>;

export interface RandomCase {
  readonly profile: IndexProfile;
  readonly operations: readonly Operation[];
  readonly filters: readonly Filter[];
  readonly topK: number;
  readonly queries: readonly Vectors[];
}

const DATES = [
  '2024-02-29',
  '2024-02-29T01:00:00+01:00',
  '1969-12-31T23:59:59.999999Z',
  '9999-12-31 23:59',
] as const;
const PLACES = ['52.52,13.405', '-18.1,178.4', '-17,-179.9', '90,77', '0,0'] as const;
const AREAS: readonly Area[] = [
  { kind: 'circle', latitude: unitsOf(52.39), longitude: unitsOf(13.06), meters: 30_000 },
  { kind: 'circle', latitude: unitsOf(-17), longitude: unitsOf(180), meters: 250_000 },
  { kind: 'circle', latitude: unitsOf(89), longitude: unitsOf(-100), meters: 120_000 },
  { kind: 'box', south: unitsOf(-20), west: unitsOf(177), north: unitsOf(-16), east: unitsOf(-178) },
  { kind: 'box', south: unitsOf(0), west: unitsOf(0), north: unitsOf(90), east: unitsOf(20) },
];

function sinceDate(date: string): { readonly from: number; readonly to: number } {
  return { from: momentOf(date) ?? 0, to: Number.POSITIVE_INFINITY };
}

const namespace = fc.constantFrom(...RANDOM_NAMESPACES);
const id = fc.constantFrom(...IDS);
const metadata: fc.Arbitrary<Metadata> = fc.record(
  {
    genre: fc.oneof(fc.constantFrom(...GENRES), fc.subarray(GENRES)),
    year: fc.integer({ min: 2018, max: 2022 }),
    seen: fc.boolean(),
    added: fc.oneof(fc.constantFrom(...DATES, 'never'), fc.subarray([...DATES])),
    place: fc.oneof(fc.constantFrom(...PLACES, 'nowhere'), fc.subarray([...PLACES])),
  },
  { requiredKeys: [] },
);
const schema: fc.Arbitrary<MetadataSchema | null> = fc.constantFrom(null, {
  fields: { year: { filterable: true as const } },
});

const randomFilter: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter; leaf: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    tie('leaf'),
    fc.record({ kind: fc.constant('all' as const), parts: fc.array(tie('filter'), { maxLength: 3 }) }),
    fc.record({ kind: fc.constant('any' as const), parts: fc.array(tie('filter'), { maxLength: 3 }) }),
    fc.record({ kind: fc.constant('not' as const), part: tie('filter') }),
  ),
  leaf: fc.oneof(
    fc.subarray(GENRES).map((values) => where('genre', { op: 'in', values })),
    fc.subarray(GENRES).map((values) => where('genre', { op: 'notIn', values })),
    fc.subarray(GENRES).map((values) => where('genre', { op: 'other', values })),
    fc
      .tuple(fc.constantFrom('gt', 'gte', 'lt', 'lte'), fc.integer({ min: 2018, max: 2022 }))
      .map(([relation, bound]) => where('year', { op: 'compare', relation, bound })),
    fc.boolean().map((present) => where('seen', { op: 'exists', present })),
    fc.constantFrom(...DATES).map((date) => where('added', { op: 'moment', ...sinceDate(date) })),
    fc.constantFrom(...AREAS).map((area) => where('place', { op: 'within', area })),
  ),
})).filter;

/** A profile, with writes and queries that fit it. */
export const randomCase: fc.Arbitrary<RandomCase> = fc.constantFrom(...SHAPES).chain((shape) => {
  const profile = sampleProfile(shape);
  return fc.record({
    profile: fc.constant(profile),
    operations: fc.array(operationOn(profile), { maxLength: 16 }),
    filters: fc.array(randomFilter, { minLength: 1, maxLength: 2 }),
    topK: fc.integer({ min: 1, max: 9 }),
    queries: fc.array(queryVectorsOf(profile), { minLength: 1, maxLength: 3 }),
  });
});

/** Runs a write and returns its outcome as its caller sees it: the condition of its fault, or what it matched. */
export async function outcomeOf(writer: VectorWriter, operation: Operation): Promise<unknown> {
  try {
    return await operation(writer);
  } catch (error) {
    if (error instanceof Fault) return error.condition;
    throw error;
  }
}

function vectorsOf(profile: IndexProfile): fc.Arbitrary<Vectors> {
  // Positive, so that no sparse score cancels out to 0, the score of records without overlap.
  const entries = fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 1, max: 9 })), {
    selector: ([index]) => index,
    minLength: 1,
    maxLength: 4,
  });
  const sparse = entries.map((list) => sparseOf(list.toSorted(([a], [b]) => a - b)));
  if (profile.dimension === null) return fc.record({ values: fc.constant(null), sparse });
  const values = fc
    .array(fc.integer({ min: -9, max: 9 }), { minLength: profile.dimension, maxLength: profile.dimension })
    .map((list) => Float32Array.from(list, (value, i) => (i === 0 && value === 0 ? 1 : value / 7)));
  return fc.record({ values, sparse: fc.option(sparse) });
}

/** Sparse parts are only for metrics that score them: which terms they require elsewhere is not defined. */
function queryVectorsOf(profile: IndexProfile): fc.Arbitrary<Vectors> {
  const vectors = vectorsOf(profile);
  return scoresSparse(profile) ? vectors : vectors.map(({ values }) => ({ values, sparse: null }));
}

function operationOn(profile: IndexProfile): fc.Arbitrary<Operation> {
  const record: fc.Arbitrary<StorableRecord> = fc
    .tuple(id, vectorsOf(profile), fc.option(metadata))
    .map(([key, vectors, fields]) => ({
      id: key,
      ...vectors,
      metadataJson: fields === null ? null : JSON.stringify(fields),
    }));
  return fc.oneof(
    { arbitrary: upserts(record), weight: 6 },
    { arbitrary: changes(vectorsOf(profile)), weight: 3 },
    { arbitrary: removals(), weight: 3 },
  );
}

function upserts(record: fc.Arbitrary<StorableRecord>): fc.Arbitrary<Operation> {
  return fc
    .tuple(namespace, fc.array(record, { minLength: 1, maxLength: 6 }))
    .map(([name, records]) =>
      named(`upsert ${name}`, async (writer) => void (await writer.upsert(name, records))),
    );
}

function changes(vectors: fc.Arbitrary<Vectors>): fc.Arbitrary<Operation> {
  return fc.oneof(
    fc.tuple(namespace, id, fc.option(vectors), fc.option(metadata)).map(([name, key, given, setMetadata]) =>
      named(`update ${name} ${key}`, async (writer) => {
        await writer.update(name, { id: key, values: null, sparse: null, ...given, setMetadata });
      }),
    ),
    fc
      .tuple(namespace, randomFilter, metadata)
      .map(([name, filter, setMetadata]) =>
        named(
          `update ${name} by filter`,
          async (writer) =>
            (await writer.updateByFilter(name, { filter, setMetadata, recordsMax: RECORDS_CHANGED_MAX }))
              .matched,
        ),
      ),
  );
}

function removals(): fc.Arbitrary<Operation> {
  return fc.oneof(
    fc
      .tuple(namespace, fc.array(id, { minLength: 1, maxLength: 3 }))
      .map(([name, ids]) =>
        named(`delete ${ids} of ${name}`, async (writer) => void (await writer.deleteIds(name, ids))),
      ),
    fc
      .tuple(namespace, randomFilter)
      .map(([name, filter]) =>
        named(
          `delete of ${name} by filter`,
          async (writer) => void (await writer.deleteByFilter(name, filter)),
        ),
      ),
    namespace.map((name) =>
      named(`drop ${name}`, async (writer) => void (await writer.deleteNamespace(name))),
    ),
    fc
      .tuple(namespace, schema)
      .map(([name, given]) =>
        named(`create ${name}`, async (writer) => void (await writer.createNamespace(name, given))),
      ),
  );
}

/** Titles an operation, for fast-check to show when a sequence fails. */
function named(title: string, operation: Operation): Operation {
  return Object.assign(operation, { toString: () => title });
}
