// The history of an index: every change of the last hours in order, with what it overwrote or removed. Vectors are not
// copied: the rows that these changes freed are not used again before their history is dropped.
import { parseOwnJson } from '../../../../domain/json.ts';
import type { Bytes } from '../database.ts';
import { namespaceKey, seqOfKey } from '../keys.ts';
import {
  decodeEvent,
  decodeHeader,
  encodeEvent,
  type HistoryHeader,
  type NamespaceEvent,
} from './history-entries.ts';

const KEY_BYTES = 14;
/** Behind the keys of all batches: sequence numbers never begin with this letter. */
const STATE = Buffer.from('state');
/** Between a name and a sequence number. */
const END = Buffer.of(0);

export interface HistoryState {
  /** All changes of writes after this one are there. */
  readonly fromSeq: number;
  /** When that write was made, in milliseconds since 1970. */
  readonly fromMs: number;
  /** The last write of the index. Another one means that a release without history has written meanwhile. */
  readonly toSeq: number;
  /** The time of the last change. */
  readonly lastMs: number;
  /** Moments of which it is not known what had been written; absent in states of earlier releases. */
  readonly unsure?: readonly UnsureMoments[];
  /** Where times of changes were ahead of the clock; in order. Absent in states of earlier releases. */
  readonly writtenBy?: readonly WrittenBy[];
  /** Bytes of the entries, and of what waits for them to be used again. */
  readonly bytes: number;
  /** Changed records. */
  readonly changes: number;
}

/** All writes up to one were made by a moment, whatever their times say. */
export interface WrittenBy {
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly ms: number;
}

/** Around a time at which the clock was set back, in milliseconds since 1970. */
export interface UnsureMoments {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
}

/** A batch of changes of one write in one namespace. */
export interface HistoryBatch {
  readonly seq: number;
  readonly part: number;
  readonly namespaceId: number;
  readonly header: HistoryHeader;
  readonly value: Buffer;
}

/** Where a batch is. */
export type BatchPosition = Pick<HistoryBatch, 'seq' | 'part' | 'namespaceId'>;

export interface BatchPage {
  readonly positions: readonly BatchPosition[];
  /** Where to look on; null after the last. */
  readonly next: BatchPosition | null;
}

export interface BatchRange {
  /** Exclusive. */
  readonly after: number;
  /** Inclusive; default all. */
  readonly upTo?: number;
  /** Default all. */
  readonly namespaceId?: number;
}

export class HistoryTable {
  readonly #batches: Bytes;
  /** Name, sequence number, order -> NamespaceEvent. */
  readonly #events: Bytes;

  constructor(batches: Bytes, events: Bytes) {
    this.#batches = batches;
    this.#events = events;
  }

  /** Null while the index keeps no history. */
  state(): HistoryState | null {
    const stored = this.#batches.get(STATE);
    return stored === undefined ? null : parseOwnJson<HistoryState>(stored.toString());
  }

  /** Call within a transaction, like all methods that write. */
  setState(state: HistoryState): void {
    this.#batches.putSync(STATE, Buffer.from(JSON.stringify(state)));
  }

  put(position: Omit<HistoryBatch, 'header' | 'value'>, value: Buffer): void {
    this.#batches.putSync(keyOf(position), value);
  }

  putEvent(
    name: string,
    position: { readonly seq: number; readonly part: number },
    event: NamespaceEvent,
  ): void {
    this.#events.putSync(eventKey(name, position), encodeEvent(event));
  }

  get(position: Omit<HistoryBatch, 'header' | 'value'>): HistoryBatch | null {
    const value = this.#batches.get(keyOf(position));
    return value === undefined ? null : { ...position, header: decodeHeader(value), value };
  }

  /** Batches in the order of the writes; those of writes after `after`. Values are copies. */
  *batches(range: BatchRange): Generator<HistoryBatch> {
    for (const key of this.#keys(range)) {
      const value = this.#batches.get(key);
      if (value !== undefined) yield { ...partsOf(key), header: decodeHeader(value), value };
    }
  }

  /**
   * Where the batches of a namespace are, up to a write, in order and without their values.
   * @param from the first that may be meant
   * @param batchesMax of any namespace, that are looked at
   */
  page(
    from: BatchPosition,
    { upTo, namespaceId }: Required<Pick<BatchRange, 'upTo' | 'namespaceId'>>,
    batchesMax: number,
  ): BatchPage {
    const end = keyOf({ seq: upTo + 1, part: 0, namespaceId: 0 });
    const range = { start: keyOf(from), end, limit: batchesMax };
    const looked = Array.from(this.#batches.getKeys(range), partsOf);
    const last = looked.length < batchesMax ? undefined : looked.at(-1);
    return {
      positions: looked.filter((position) => position.namespaceId === namespaceId),
      next: last === undefined ? null : { ...last, namespaceId: last.namespaceId + 1 },
    };
  }

  /** The latest batches first, before a position, without their values. */
  *latest(before: BatchPosition): Generator<Omit<HistoryBatch, 'value'>> {
    const range = { start: keyOf(before), exclusiveStart: true, reverse: true };
    for (const { key, value } of this.#batches.getRange(range))
      yield { ...partsOf(key), header: decodeHeader(value) };
  }

  /** The names of the namespaces with changes in these writes. */
  names(range: BatchRange): readonly string[] {
    const names = new Map<number, string>();
    for (const key of this.#keys(range)) {
      const { namespaceId } = partsOf(key);
      const value = names.has(namespaceId) ? undefined : this.#batches.get(key);
      if (value !== undefined) names.set(namespaceId, decodeHeader(value).namespace);
    }
    return [...new Set(names.values())];
  }

  /** The first event of a name after a write. */
  firstEvent(
    name: string,
    after: number,
    isMeant: (event: NamespaceEvent) => boolean = () => true,
  ): NamespaceEvent | null {
    const start = eventKey(name, { seq: after + 1, part: 0 });
    const end = eventKey(name, { seq: 2 ** 48 - 1, part: 0 });
    for (const { value } of this.#events.getRange({ start, end })) {
      const event = decodeEvent(value);
      if (isMeant(event)) return event;
    }
    return null;
  }

  /** Removes a batch, and the event that it tells of. */
  remove({ value, header, ...position }: HistoryBatch): void {
    this.#batches.removeSync(keyOf(position));
    const { kind, namespace } = header;
    if (kind === 'create-namespace' || kind === 'delete-namespace')
      this.#events.removeSync(eventKey(namespace, position));
  }

  clear(): void {
    this.#batches.clearSync();
    this.#events.clearSync();
  }

  *#keys({ after, upTo, namespaceId }: BatchRange): Generator<Buffer> {
    const start = keyOf({ seq: after + 1, part: 0, namespaceId: 0 });
    const end = upTo === undefined ? STATE : keyOf({ seq: upTo + 1, part: 0, namespaceId: 0 });
    for (const key of this.#batches.getKeys({ start, end }))
      if (namespaceId === undefined || key.readUInt32BE(10) === namespaceId) yield Buffer.from(key);
  }
}

/** Null where there is none. */
export function oldestBatch(history: Pick<HistoryTable, 'batches'>): HistoryBatch | null {
  for (const batch of history.batches({ after: -1 })) return batch;
  return null;
}

/** False for the key of the state. */
export function isBatchKey(key: Buffer): boolean {
  return key.length === KEY_BYTES;
}

function keyOf({ seq, part, namespaceId }: BatchPosition): Buffer {
  const key = Buffer.allocUnsafe(KEY_BYTES);
  key.writeUIntBE(seq, 0, 6);
  key.writeUInt32BE(part, 6);
  key.writeUInt32BE(namespaceId, 10);
  return key;
}

function partsOf(key: Buffer): BatchPosition {
  return { seq: seqOfKey(key), part: key.readUInt32BE(6), namespaceId: key.readUInt32BE(10) };
}

function eventKey(name: string, { seq, part }: { readonly seq: number; readonly part: number }): Buffer {
  const position = Buffer.allocUnsafe(10);
  position.writeUIntBE(seq, 0, 6);
  position.writeUInt32BE(part, 6);
  return Buffer.concat([namespaceKey(name), END, position]);
}
