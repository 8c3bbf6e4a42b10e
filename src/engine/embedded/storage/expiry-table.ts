// The moments at which the records of an index expire, in their order. Derived from the records: an entry whose record has
// gone, or expires at another moment, means nothing.
import { parseOwnJson } from '../../../domain/json.ts';
import type { Bytes } from './database.ts';

/** Keys of entries begin with 'e', the moment in milliseconds, the namespace and the row follow. */
const ENTRY = 'e'.charCodeAt(0);
const MOMENT_AT = 1;
const NAMESPACE_AT = 7;
const ROW_AT = 11;
const KEY_BYTES = 15;
const MOMENT_MS_MAX = 2 ** 48 - 1;
/** Key of what the table is about; after all entries. */
const STATE = Buffer.from('state');
const NOTHING = Buffer.alloc(0);

/** Which field the table is about. */
export interface ExpiryState {
  readonly field: string;
  /** The last key of the records' table that was looked at, in hexadecimal; null once the table has them all. */
  readonly filledTo: string | null;
}

export interface Expiry {
  readonly namespaceId: number;
  readonly row: number;
  /** Seconds since 1970, to the millisecond. */
  readonly moment: number;
}

export class ExpiryTable {
  readonly #database: Bytes;
  /** As stored; undefined where it has not been read. */
  #state: ExpiryState | null | undefined;

  constructor(database: Bytes) {
    this.#database = database;
  }

  /** Null while no record of the index expires. For the writer, which alone changes it. */
  get state(): ExpiryState | null {
    if (this.#state === undefined) {
      const stored = this.#database.get(STATE);
      this.#state = stored === undefined ? null : parseOwnJson<ExpiryState>(stored.toString());
    }
    return this.#state;
  }

  /** Call within a transaction, like all methods that write. With null, the table is emptied. */
  setState(state: ExpiryState | null): void {
    if (state === null) this.#database.clearSync();
    else this.#database.putSync(STATE, Buffer.from(JSON.stringify(state)));
    this.#state = state;
  }

  /** Call after a failed transaction. */
  forgetState(): void {
    this.#state = undefined;
  }

  put(expiry: Expiry): void {
    this.#database.putSync(keyOf(expiry), NOTHING);
  }

  remove(expiry: Expiry): void {
    this.#database.removeSync(keyOf(expiry));
  }

  /** The first entries after `after`, up to a moment in seconds. */
  due(now: number, { after, limit }: { readonly after: Expiry | null; readonly limit: number }): Expiry[] {
    const first = after === null ? Buffer.of(ENTRY) : Buffer.concat([keyOf(after), Buffer.of(0)]);
    // Behind all entries of the moment.
    const end = keyOf({ moment: now, namespaceId: 2 ** 32 - 1, row: 2 ** 32 - 1 });
    return Array.from(this.#database.getKeys({ start: first, end, limit }), expiryOf);
  }
}

/** The moment as the table has it, never an earlier one: a fraction below a millisecond must not end a life early. */
export function storedMoment(moment: number): number {
  return Math.min(MOMENT_MS_MAX, Math.max(0, Math.ceil(moment * 1_000))) / 1_000;
}

function keyOf({ moment, namespaceId, row }: Expiry): Buffer {
  const key = Buffer.allocUnsafe(KEY_BYTES);
  key[0] = ENTRY;
  key.writeUIntBE(Math.round(storedMoment(moment) * 1_000), MOMENT_AT, 6);
  key.writeUInt32BE(namespaceId, NAMESPACE_AT);
  key.writeUInt32BE(row, ROW_AT);
  return key;
}

function expiryOf(key: Buffer): Expiry {
  return {
    moment: key.readUIntBE(MOMENT_AT, 6) / 1_000,
    namespaceId: key.readUInt32BE(NAMESPACE_AT),
    row: key.readUInt32BE(ROW_AT),
  };
}
