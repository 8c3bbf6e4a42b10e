// Time to live: any sequence of writes, steps of the clock and removals, compared with a naive model after each.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Clock, TimeToLive } from '../../domain/expiry/time-to-live.ts';
import type { Filter } from '../../domain/filter/grammar.ts';
import type { Metadata, VectorReader, VectorWriter } from '../port/reader-and-writer.ts';
import { ANY_BYTES, idsOf, unchanged } from './harness.ts';
import { dense, EVERYTHING, sampleQuery, where } from './sample-data.ts';

const FIELD = 'expires_at';
const IDS = Array.from({ length: 24 }, (_, i) => `r${i + 10}`);
const GENRES = ['drama', 'noir'];
const LIFETIMES: Readonly<Record<string, number | null>> = { '': 6, short: 2, ever: null };
const NAMESPACES = Object.keys(LIFETIMES);

export const SAMPLE_TTL: TimeToLive = { field: FIELD, seconds: 6, namespaces: { short: 2, ever: null } };

/** An index with SAMPLE_TTL, read and written at the times of a clock. */
export interface ExpiringIndex {
  readonly reader: VectorReader;
  readonly writer: VectorWriter;
}

type Action =
  | { readonly kind: 'step'; readonly seconds: number }
  | {
      readonly kind: 'upsert';
      readonly ids: readonly string[];
      readonly in: number | null;
      readonly genre: string;
    }
  | {
      readonly kind: 'update' | 'updateByFilter';
      readonly ids: readonly string[];
      readonly in: number | null;
      readonly genre: string;
    }
  | { readonly kind: 'delete'; readonly ids: readonly string[] }
  | { readonly kind: 'remove'; readonly recordsMax: number };

export type RandomExpiry = readonly { readonly namespace: string; readonly action: Action }[];

const ids = fc.subarray(IDS, { minLength: 1 });
const genre = fc.constantFrom(...GENRES);
/** Seconds from now; the past, too. */
const offset = fc.option(fc.integer({ min: -2, max: 9 }));

export const randomExpiry: fc.Arbitrary<RandomExpiry> = fc.array(
  fc.record({
    namespace: fc.constantFrom(...NAMESPACES),
    action: fc.oneof<fc.Arbitrary<Action>[]>(
      fc.record({ kind: fc.constant('step' as const), seconds: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ kind: fc.constant('upsert' as const), ids, in: offset, genre }),
      fc.record({
        kind: fc.constantFrom('update' as const, 'updateByFilter' as const),
        ids,
        in: offset,
        genre,
      }),
      fc.record({ kind: fc.constant('delete' as const), ids }),
      fc.record({ kind: fc.constant('remove' as const), recordsMax: fc.integer({ min: 1, max: 30 }) }),
    ),
  }),
  { minLength: 4, maxLength: 14 },
);

/** Runs the actions on an index and the model, and compares what both show after each. */
export async function assertExpires(
  open: (clock: Clock) => ExpiringIndex,
  actions: RandomExpiry,
): Promise<void> {
  let now = 1_000;
  const index = open(() => now);
  const model = new Model();
  for (const { namespace, action } of actions) {
    if (action.kind === 'step') now += action.seconds;
    else if (action.kind === 'remove')
      await index.writer.removeExpired({ field: FIELD, now, recordsMax: action.recordsMax });
    else await write(index.writer, model, { namespace, action, now });
    for (const each of NAMESPACES) await assertSame(index.reader, model.live(each, now), each);
  }
  // Whatever has expired is gone in the end, and nothing else.
  while (!(await index.writer.removeExpired({ field: FIELD, now, recordsMax: 10 })).isDone);
  for (const each of NAMESPACES) {
    const left = (await index.reader.describeNamespace(each))?.recordCount ?? 0;
    assert.equal(left, model.live(each, now).size, `records left in ${each}`);
  }
}

interface WriteCase {
  readonly namespace: string;
  readonly action: Exclude<Action, { readonly kind: 'step' | 'remove' }>;
  readonly now: number;
}

async function write(
  writer: VectorWriter,
  model: Model,
  { namespace, action, now }: WriteCase,
): Promise<void> {
  const live = model.live(namespace, now);
  if (action.kind === 'delete') {
    await writer.deleteIds(namespace, action.ids).catch(() => undefined);
    for (const id of action.ids) model.delete(namespace, id);
    return;
  }
  const moment = action.in === null ? null : now + action.in;
  const set: Metadata = { genre: action.genre, ...(moment !== null && { [FIELD]: moment }) };
  if (action.kind === 'upsert') {
    await writer.upsert(
      namespace,
      action.ids.map((id) => dense(id, vectorOf(id), set)),
    );
    const lifetime = LIFETIMES[namespace] ?? null;
    const stamp = moment ?? (lifetime === null ? null : now + lifetime);
    for (const id of action.ids) model.put(namespace, id, { genre: action.genre, moment: stamp });
    return;
  }
  const isMeant = (id: string) =>
    action.kind === 'update' ? action.ids.includes(id) : live.get(id)?.genre === action.genre;
  const changed = [...live].filter(([id]) => isMeant(id));
  if (action.kind === 'update')
    await writer.updateMany(
      namespace,
      action.ids.map((id) => ({ ...unchanged(id), setMetadata: set })),
    );
  else {
    const filter = genreIs(action.genre);
    const written = await writer.updateByFilter(namespace, { filter, setMetadata: set, recordsMax: 1_000 });
    assert.equal(written.matched, changed.length);
  }
  for (const [id, before] of changed)
    model.put(namespace, id, { genre: action.genre, moment: moment ?? before.moment });
}

/** Every kind of read shows the live records, and only them. */
async function assertSame(
  reader: VectorReader,
  live: ReadonlyMap<string, NaiveRecord>,
  namespace: string,
): Promise<void> {
  const all = [...live.keys()].sort();
  const dramas = all.filter((id) => live.get(id)?.genre === 'drama');
  const near = (of: readonly string[]) => [...of].sort((a, b) => numberOf(a) - numberOf(b)).slice(0, 5);
  const search = (filter: Filter | null) =>
    reader.query(sampleQuery({ namespace, values: Float32Array.from(vectorOf('r10')), topK: 5, filter }));
  assert.deepEqual(idsOf(await search(null)), near(all));
  const nearest = { namespace, values: Float32Array.from(vectorOf('r10')), topK: 5 };
  assert.equal((await reader.countedQuery(sampleQuery(nearest))).matched, all.length);
  assert.deepEqual(idsOf(await search(genreIs('drama'))), near(dramas));
  assert.deepEqual(idsOf(await reader.fetch(namespace, IDS)), all);
  assert.equal(await reader.count(namespace, EVERYTHING), all.length);
  assert.equal(await reader.count(namespace, genreIs('drama')), dramas.length);
  const page = { namespace, filter: genreIs('drama'), limit: 50, after: null, bytesMax: ANY_BYTES };
  assert.deepEqual(idsOf((await reader.fetchByFilter(page)).items), dramas);
  const listed: string[] = [];
  for (let after: string | null = null, isEnd = false; !isEnd; isEnd = after === null) {
    const ids = await reader.listIds({ namespace, prefix: 'r', limit: 7, after });
    listed.push(...ids.items);
    after = ids.next;
  }
  assert.deepEqual(listed, all);
  const [facet] = await reader.countValues({
    namespace,
    filter: null,
    among: null,
    fields: [{ field: 'genre', limit: 5 }],
  });
  const counted = new Map(facet?.values.map(({ value, count }) => [value, count]));
  assert.equal(counted.get('drama') ?? 0, dramas.length);
  assert.equal(counted.get('noir') ?? 0, all.length - dramas.length);
}

interface NaiveRecord {
  readonly genre: string;
  readonly moment: number | null;
}

class Model {
  readonly #namespaces = new Map(NAMESPACES.map((name) => [name, new Map<string, NaiveRecord>()]));

  put(namespace: string, id: string, record: NaiveRecord): void {
    this.#namespaces.get(namespace)?.set(id, record);
  }

  delete(namespace: string, id: string): void {
    this.#namespaces.get(namespace)?.delete(id);
  }

  live(namespace: string, now: number): ReadonlyMap<string, NaiveRecord> {
    const records = this.#namespaces.get(namespace) ?? new Map<string, NaiveRecord>();
    return new Map([...records].filter(([, { moment }]) => moment === null || moment > now));
  }
}

function genreIs(value: string): Filter {
  return where('genre', { op: 'in', values: [value] });
}

function numberOf(id: string): number {
  return Number(id.slice(1));
}

function vectorOf(id: string): readonly number[] {
  return [numberOf(id), 1, 2, 3];
}
