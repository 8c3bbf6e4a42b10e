// A client that upserts, updates and deletes documents until the server dies, and knows what must be stored then.
import assert from 'node:assert/strict';
import type { DocumentIndex, Json } from './document-index.ts';
import type { Random } from './random.ts';

export const CRASH_FIELDS = {
  text: { type: 'string', full_text_search: {} },
  dense: { type: 'dense_vector', dimension: 2, metric: 'dotproduct' },
  sparse: { type: 'sparse_vector' },
};
/** More than a namespace has that is searched without an index of its words. */
const IDS = 400;
const BATCH_MAX = 60;
const GROUPS = 6;

export interface CrashDocument {
  readonly _id: string;
  readonly version: number;
  readonly group: number;
  readonly mark?: number;
}

type Documents = ReadonlyMap<string, CrashDocument>;

/** One request, and what the documents are once it is carried out. */
interface Step {
  readonly call: 'upsert' | 'update' | 'delete';
  readonly body: Json;
  readonly result: Documents;
}

/** All parts of a document tell its version: text, vectors and metadata. */
export function wholeDocument({ version, ...document }: CrashDocument): Json {
  return { ...document, version, ...partsOf(version) };
}

function partsOf(version: number): Json {
  const sparse = { indices: [version], values: [1] };
  return { text: `every word${version}`, dense: [version, 1], sparse };
}

export class CrashDocumentWriter {
  readonly namespace: string;
  readonly #random: Random;
  /** As acknowledged. */
  #documents: Documents = new Map();
  /** As they are if the unanswered request was carried out. */
  #pending: Documents | null = null;
  #version = 0;
  acknowledged = 0;

  constructor(namespace: string, random: Random) {
    this.namespace = namespace;
    this.#random = random;
  }

  get documents(): Documents {
    return this.#documents;
  }

  /** Writes one request after another until the connection breaks. */
  async writeUntilCrash(index: DocumentIndex): Promise<void> {
    try {
      while (true) {
        const { call, body, result } = this.#step();
        this.#pending = result;
        await index.documents(call, body, this.namespace);
        this.#settle(result);
        this.acknowledged++;
      }
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
    }
  }

  /** Takes over what is stored after a crash. @throws unless every answered request is in it, and the last one whole or not at all */
  recover(stored: Json): void {
    const asStored = (documents: Documents) =>
      Object.fromEntries(Array.from(documents.values(), (each) => [each._id, wholeDocument(each)]));
    if (this.#pending !== null && isSame(stored, asStored(this.#pending))) this.#settle(this.#pending);
    else assert.deepEqual(stored, asStored(this.#documents), `documents in ${this.namespace}`);
    this.#pending = null;
  }

  #settle(documents: Documents): void {
    this.#documents = documents;
    this.#pending = null;
  }

  #step(): Step {
    this.#version++;
    if (this.#documents.size < IDS / 2) return this.#upsert(IDS);
    switch (this.#random.below(6)) {
      case 0:
        return this.#updateByFilter();
      case 1:
        return this.#deleteByFilter();
      case 2:
        return this.#deleteIds();
      case 3:
        return this.#updateIds();
      default:
        return this.#upsert(1 + this.#random.below(BATCH_MAX));
    }
  }

  #upsert(count: number): Step {
    const first = this.#random.below(IDS);
    const version = this.#version;
    const documents = Array.from({ length: count }, (_, at) => {
      const number = (first + at) % IDS;
      return { _id: `d${number}`, version, group: number % GROUPS };
    });
    const result = new Map([...this.#documents, ...documents.map((each) => [each._id, each] as const)]);
    return { call: 'upsert', body: { documents: documents.map(wholeDocument) }, result };
  }

  #updateIds(): Step {
    const version = this.#version;
    const changed = this.#some().map((document) => ({ ...document, version }));
    const documents = changed.map(({ _id }) => ({ _id, version, ...partsOf(version) }));
    const result = new Map([...this.#documents, ...changed.map((each) => [each._id, each] as const)]);
    return { call: 'update', body: { documents }, result };
  }

  #updateByFilter(): Step {
    const [group, mark] = [this.#random.below(GROUPS), this.#version];
    const result = Array.from(this.#documents, ([id, document]) => {
      return [id, document.group === group ? { ...document, mark } : document] as const;
    });
    return { call: 'update', body: { filter: { group }, set_fields: { mark } }, result: new Map(result) };
  }

  #deleteByFilter(): Step {
    const group = this.#random.below(GROUPS);
    const kept = [...this.#documents].filter(([, document]) => document.group !== group);
    return { call: 'delete', body: { filter: { group } }, result: new Map(kept) };
  }

  #deleteIds(): Step {
    const ids = this.#some().map(({ _id }) => _id);
    const kept = [...this.#documents].filter(([id]) => !ids.includes(id));
    return { call: 'delete', body: { ids }, result: new Map(kept) };
  }

  #some(): readonly CrashDocument[] {
    const all = [...this.#documents.values()];
    const first = this.#random.below(all.length);
    return all.slice(first, first + 1 + this.#random.below(BATCH_MAX));
  }
}

function isSame(one: Json, other: Json): boolean {
  try {
    assert.deepEqual(one, other);
    return true;
  } catch {
    return false;
  }
}
