// A client that keeps a large part of a namespace in motion, and knows for each of its records what must be stored.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, Refused } from './connection.ts';
import type { ModelRecord, Sparse } from './model.ts';
import type { Random } from './random.ts';

const FILL_BATCH = 500;
const UPSERT_MAX = 120;
const DELETE_MAX = 60;
const GROUPS = 200;
const SLICES = 1_000;
const SPARSE_INDICES = 300;
const SPARSE_ENTRIES = 8;

export interface BigWriterOptions {
  readonly name: string;
  readonly namespace: string;
  readonly random: Random;
  /** How many ids it has; most are stored, most of the time. */
  readonly ids: number;
  /** Makes dense values; null on sparse indexes. */
  readonly values: (() => readonly number[]) | null;
  readonly hasSparse?: boolean;
  /** Nobody else writes in the namespace: now and then it deletes all of it. */
  readonly mayDeleteAll?: boolean;
}

/** One request, and what it makes of records: null for those it deletes. */
interface Step {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly changes: ReadonlyMap<string, ModelRecord | null>;
}

type Metadata = NonNullable<ModelRecord['metadata']>;

export class BigWriter {
  readonly #options: BigWriterOptions;
  /** As acknowledged. */
  readonly #records = new Map<string, ModelRecord>();
  /** What the unanswered request makes of records, if it was carried out. */
  #pending: Step['changes'] | null = null;
  #round = 0;
  acknowledged = 0;

  constructor(options: BigWriterOptions) {
    this.#options = options;
  }

  get namespace(): string {
    return this.#options.namespace;
  }

  get records(): ReadonlyMap<string, ModelRecord> {
    return this.#records;
  }

  /** Stores every id it has. */
  async fill(connection: Connection): Promise<void> {
    const ids = Array.from({ length: this.#options.ids }, (_, i) => this.#id(i));
    for (let first = 0; first < ids.length; first += FILL_BATCH)
      await this.#send(connection, this.#upsertOf(ids.slice(first, first + FILL_BATCH)));
  }

  /** Sends one request of a random kind. */
  async write(connection: Connection): Promise<void> {
    await this.#send(connection, this.#step());
  }

  /** Writes one request after another until the connection breaks, with a pause of up to `pauseMsMax` after each. */
  async writeUntilCrash(host: string, pauseMsMax: number): Promise<void> {
    const connection = new Connection(host);
    try {
      while (true) {
        await this.write(connection);
        if (pauseMsMax > 0) await sleep(this.#options.random.below(pauseMsMax));
      }
    } catch (error) {
      if (error instanceof Refused) throw error;
    } finally {
      connection.close();
    }
  }

  /**
   * Compares what the namespace holds with what was acknowledged: the request under way at the crash may have been
   * carried out, but then as a whole.
   */
  recover(stored: ReadonlyMap<string, ModelRecord>): void {
    const pending = this.#pending;
    this.#pending = null;
    if (pending !== null && [...pending].every(([id, record]) => isSame(stored.get(id), record)))
      this.#settle(pending);
    const own = [...stored.keys()].filter((id) => id.startsWith(`${this.#options.name}-`));
    const told = `of ${this.#options.name} after ${this.#round} requests`;
    const unknown = own.filter((id) => !this.#records.has(id));
    assert.deepEqual(unknown, [], `records that came back, ${told}`);
    const wrong = [...this.#records.values()].filter((record) => !isSame(stored.get(record.id), record));
    assert.deepEqual(wrong, [], `records that are not as acknowledged, ${told}`);
  }

  async #send(connection: Connection, { path, body, changes }: Step): Promise<void> {
    this.#pending = changes;
    await connection.post(path, { namespace: this.namespace, ...body });
    this.#settle(changes);
  }

  #settle(changes: Step['changes']): void {
    for (const [id, record] of changes) {
      if (record === null) this.#records.delete(id);
      else this.#records.set(id, record);
    }
    this.#pending = null;
    this.acknowledged++;
  }

  #step(): Step {
    this.#round++;
    const choice = this.#options.random.next();
    if (this.#records.size < this.#options.ids * 0.75 || choice < 0.4)
      return this.#upsertOf(this.#anyIds(UPSERT_MAX));
    if (choice < 0.65) return this.#update();
    if (choice < 0.72) return this.#updateByFilter();
    if (choice < 0.93) return this.#deleteIds();
    if (choice < 0.94 && this.#options.mayDeleteAll === true) return this.#deleteAll();
    return this.#deleteByFilter();
  }

  #upsertOf(ids: readonly string[]): Step {
    const vectors = ids.map((id) => this.#newRecord(id));
    const changes = new Map(vectors.map((record) => [record.id, record]));
    return { path: '/vectors/upsert', body: { vectors: vectors.map(sent) }, changes };
  }

  /** Values, metadata or both of one record. */
  #update(): Step {
    const { random } = this.#options;
    const record = random.pick([...this.#records.values()]);
    const fresh = this.#newRecord(record.id);
    const setMetadata = { updated: this.#round };
    const kind = random.below(3);
    const metadata = kind === 0 ? (record.metadata ?? {}) : { ...record.metadata, ...setMetadata };
    const vectors = kind === 1 ? {} : vectorsOf(fresh);
    const changed: ModelRecord = { ...record, ...vectors, metadata };
    const body = { id: record.id, ...sentVectors(vectors), ...(kind > 0 && { setMetadata }) };
    return { path: '/vectors/update', body, changes: new Map([[record.id, changed]]) };
  }

  #updateByFilter(): Step {
    const filter = this.#group();
    const setMetadata = { marked: this.#round };
    const changes = new Map(
      this.#inGroup(filter).map((record) => [
        record.id,
        { ...record, metadata: { ...record.metadata, ...setMetadata } },
      ]),
    );
    return { path: '/vectors/update', body: { filter, setMetadata }, changes };
  }

  #deleteIds(): Step {
    const ids = this.#anyIds(DELETE_MAX);
    return { path: '/vectors/delete', body: { ids }, changes: new Map(ids.map((id) => [id, null])) };
  }

  #deleteAll(): Step {
    const changes = new Map([...this.#records.keys()].map((id) => [id, null]));
    return { path: '/vectors/delete', body: { deleteAll: true }, changes };
  }

  #deleteByFilter(): Step {
    const filter = this.#group();
    const changes = new Map(this.#inGroup(filter).map(({ id }) => [id, null]));
    return { path: '/vectors/delete', body: { filter }, changes };
  }

  #inGroup({ group }: { readonly group: number }): readonly ModelRecord[] {
    return [...this.#records.values()].filter(({ metadata }) => metadata?.group === group);
  }

  #group() {
    return { writer: this.#options.name, group: this.#options.random.below(GROUPS) };
  }

  #anyIds(countMax: number): readonly string[] {
    const { random, ids } = this.#options;
    return [
      ...new Set(Array.from({ length: 1 + random.below(countMax) }, () => this.#id(random.below(ids)))),
    ];
  }

  #id(number: number): string {
    return `${this.#options.name}-${number}`;
  }

  #newRecord(id: string): ModelRecord {
    const { random, values, hasSparse = false } = this.#options;
    const metadata: Metadata = { ...this.#group(), slice: random.below(SLICES) };
    const isSparse = values === null || (hasSparse && random.below(2) === 0);
    return {
      id,
      values: values?.() ?? [],
      ...(isSparse && { sparseValues: randomSparse(random) }),
      metadata,
    };
  }
}

export function randomSparse(random: Random): Sparse {
  const indices = [...new Set(Array.from({ length: SPARSE_ENTRIES }, () => random.below(SPARSE_INDICES)))];
  return { indices, values: indices.map(() => (1 + random.below(9_999)) / 10_000) };
}

/** A record as it is sent: sparse records have no dense values. */
function sent({ id, metadata, ...vectors }: ModelRecord): Readonly<Record<string, unknown>> {
  return { id, metadata, ...sentVectors(vectors) };
}

type Vectors = Pick<ModelRecord, 'sparseValues'> & Partial<Pick<ModelRecord, 'values'>>;

function sentVectors({ values = [], sparseValues }: Vectors): Readonly<Record<string, unknown>> {
  return { ...(values.length > 0 && { values }), ...(sparseValues && { sparseValues }) };
}

function vectorsOf({ values, sparseValues }: ModelRecord): Vectors {
  return { values, ...(sparseValues && { sparseValues }) };
}

function isSame(stored: ModelRecord | undefined, wanted: ModelRecord | null): boolean {
  if (stored === undefined || wanted === null) return stored === undefined && wanted === null;
  return textOf(stored) === textOf(wanted);
}

function textOf({ id, values = [], sparseValues, metadata = {} }: Partial<ModelRecord>): string {
  const entries = sparseValues?.indices.map((index, i) => [index, sparseValues.values[i]] as const) ?? [];
  const fields = Object.entries(metadata).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([id, values, entries.toSorted(([a], [b]) => a - b), fields]);
}
