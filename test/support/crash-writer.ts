// A client that writes until the server dies, and knows for each of its records what must be stored then.
import assert from 'node:assert/strict';
import { Connection, Refused } from './connection.ts';
import type { ModelRecord } from './model.ts';
import type { Random } from './random.ts';

export const CRASH_DIMENSION = 8;
const IDS = 500;
const BATCH_MAX = 40;
const GROUPS = 5;
const SPARSE_INDICES = 50;

type Records = ReadonlyMap<string, ModelRecord>;

/** One request, and what the writer's records are once it is carried out. */
interface Step {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly result: Records;
  /** Carried out in steps: a crash may leave it undone for some of its records. */
  readonly isInSteps?: boolean;
}

export class CrashWriter {
  readonly namespace: string;
  readonly #name: string;
  readonly #random: Random;
  /** Nobody else writes in the namespace, so that it may be deleted as a whole. */
  readonly #alone: boolean;
  /** As acknowledged. */
  #records: Records = new Map();
  /** As they are if the unanswered request was carried out. */
  #pending: Step | undefined;
  #round = 0;
  acknowledged = 0;

  constructor(name: string, random: Random, namespace?: string) {
    this.#name = name;
    this.#random = random;
    this.#alone = namespace === undefined;
    this.namespace = namespace ?? name;
  }

  get records(): Records {
    return this.#records;
  }

  /** Writes one request after another until the connection breaks. */
  async writeUntilCrash(host: string): Promise<void> {
    const connection = new Connection(host);
    try {
      while (true) {
        const step = this.#step();
        this.#pending = step;
        await connection.post(step.path, { namespace: this.namespace, ...step.body });
        this.#settle(step.result);
      }
    } catch (error) {
      if (error instanceof Refused) throw error;
    } finally {
      connection.close();
    }
  }

  /**
   * Compares what the namespace holds with what was acknowledged: the request under way at the crash may have
   * been carried out, but then as a whole, or, where it goes in steps, for some of its records.
   */
  recover(stored: Records): void {
    const own = new Map([...stored].filter(([id]) => id.startsWith(`${this.#name}-`)));
    const found = textOf(own);
    const pending = this.#pending;
    if (pending !== undefined && found === textOf(pending.result)) this.#settle(pending.result);
    else if (pending?.isInSteps === true && isBetween(own, this.#records, pending.result)) this.#settle(own);
    this.#pending = undefined;
    assert.equal(found, textOf(this.#records), `records of ${this.#name} after ${this.#round} requests`);
  }

  #settle(result: Records): void {
    this.#records = result;
    this.#pending = undefined;
    this.acknowledged++;
  }

  #step(): Step {
    this.#round++;
    const choice = this.#random.next();
    if (this.#records.size < 20 || choice < 0.45) return this.#upsert();
    if (choice < 0.65) return this.#update();
    if (choice < 0.75) return this.#updateByFilter();
    if (choice < 0.92) return this.#deleteIds();
    if (this.#alone && choice < 0.94)
      return { path: '/vectors/delete', body: { deleteAll: true }, result: new Map() };
    return this.#deleteByFilter();
  }

  #upsert(): Step {
    const result = new Map(this.#records);
    const ids = new Set(Array.from({ length: 1 + this.#random.below(BATCH_MAX) }, () => this.#anyId()));
    const vectors = [...ids].map((id) => this.#newRecord(id));
    for (const record of vectors) result.set(record.id, record);
    return { path: '/vectors/upsert', body: { vectors }, result };
  }

  #update(): Step {
    const record = this.#random.pick([...this.#records.values()]);
    const values = this.#random.vector(CRASH_DIMENSION);
    const setMetadata = { updated: this.#round };
    const metadata = { ...record.metadata, ...setMetadata };
    const result = new Map(this.#records).set(record.id, { ...record, values, metadata });
    return { path: '/vectors/update', body: { id: record.id, values, setMetadata }, result };
  }

  #updateByFilter(): Step {
    const filter = this.#group();
    const setMetadata = { marked: this.#round };
    const result = new Map(
      [...this.#records].map(([id, record]) =>
        record.metadata?.group === filter.group
          ? [id, { ...record, metadata: { ...record.metadata, ...setMetadata } }]
          : [id, record],
      ),
    );
    return { path: '/vectors/update', body: { filter, setMetadata }, result, isInSteps: true };
  }

  #deleteIds(): Step {
    const ids = [...new Set(Array.from({ length: 1 + this.#random.below(10) }, () => this.#anyId()))];
    const result = new Map(this.#records);
    for (const id of ids) result.delete(id);
    return { path: '/vectors/delete', body: { ids }, result };
  }

  #deleteByFilter(): Step {
    const filter = this.#group();
    const result = new Map([...this.#records].filter(([, { metadata }]) => metadata?.group !== filter.group));
    return { path: '/vectors/delete', body: { filter }, result, isInSteps: true };
  }

  #group() {
    return { writer: this.#name, group: this.#random.below(GROUPS) };
  }

  #anyId(): string {
    return `${this.#name}-${this.#random.below(IDS)}`;
  }

  #newRecord(id: string): ModelRecord {
    const metadata = { ...this.#group(), round: this.#round };
    const values = this.#random.vector(CRASH_DIMENSION);
    if (this.#random.next() < 0.5) return { id, values, metadata };
    const indices = [...new Set(Array.from({ length: 3 }, () => this.#random.below(SPARSE_INDICES)))];
    return { id, values, sparseValues: { indices, values: this.#random.vector(indices.length) }, metadata };
  }
}

/** Every record is as before or as after, whole. */
function isBetween(found: Records, before: Records, after: Records): boolean {
  const ids = new Set([...found.keys(), ...before.keys(), ...after.keys()]);
  return [...ids].every((id) => {
    const line = lineOf(found.get(id));
    return line === lineOf(before.get(id)) || line === lineOf(after.get(id));
  });
}

function textOf(records: Records): string {
  return [...records.values()].map(lineOf).sort().join('\n');
}

function lineOf(record: ModelRecord | undefined): string {
  if (record === undefined) return '';
  const { id, values, sparseValues, metadata = {} } = record;
  const entries = sparseValues?.indices.map((index, i) => [index, sparseValues.values[i]] as const) ?? [];
  const sparse = entries.toSorted(([a], [b]) => a - b);
  const fields = Object.entries(metadata).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([id, values, sparse, fields]);
}
