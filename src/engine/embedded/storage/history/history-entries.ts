// The layout of the history's entries: what a write changed in a namespace, with the records as they were before.
import { parseOwnJson } from '../../../../domain/json.ts';
import type { HistoryCause, HistoryKind } from '../../../port/index-history.ts';
import { decodeRecord, encodeRecord } from '../../../port/record-codec.ts';
import { decodeNamespaceRow, encodeNamespaceRow, type NamespaceRow } from '../namespace-table.ts';
import type { LocatedRecord } from '../record-table.ts';

const VERSION = 1;
const KINDS = ['upsert', 'update', 'delete', 'create-namespace', 'delete-namespace'] as const;
const CAUSES = ['request', 'expiry', 'undo', 'publish', 'branch', 'merge'] as const;
const HEADER_BYTES = 31;
const IMAGE_HEADER_BYTES = 13;
/** First byte of a change. */
const IS_ABSENT = 0;
const HAS_IMAGE = 1;

/** What a batch of changes has in common. */
export interface HistoryHeader {
  readonly kind: HistoryKind;
  readonly cause: HistoryCause;
  /** LSN of the first write of the operation that it belongs to. */
  readonly operation: number;
  /** Milliseconds since 1970, never earlier than those of the batches before. */
  readonly ms: number;
  /** Bytes of rows and records that wait, because of this batch, to be used again. */
  readonly heldBytes: number;
  readonly count: number;
  readonly namespace: string;
}

/** A record that was written or removed, and what it was before; null where it was not there. */
export interface RecordedChange {
  readonly id: string;
  readonly before: LocatedRecord | null;
}

export function encodeAbsent(id: string): Buffer {
  const out = Buffer.allocUnsafe(3 + id.length);
  out[0] = IS_ABSENT;
  out.writeUInt16LE(id.length, 1);
  out.write(id, 3, 'latin1');
  return out;
}

export function encodeImage(before: LocatedRecord): Buffer {
  const body = encodeRecord(before);
  const out = Buffer.allocUnsafe(IMAGE_HEADER_BYTES + body.length);
  out[0] = HAS_IMAGE;
  out.writeUInt32LE(before.row, 1);
  out.writeUInt32LE(before.rowSum, 5);
  out.writeUInt32LE(body.length, 9);
  body.copy(out, IMAGE_HEADER_BYTES);
  return out;
}

/** Header: version u8, kind u8, cause u8, operation u48, ms u48, held bytes f64, count u32, length of name u32; name; changes. */
export function encodeBatch(header: HistoryHeader, changes: readonly Buffer[]): Buffer {
  const { kind, cause, operation, ms, heldBytes, count, namespace } = header;
  const head = Buffer.allocUnsafe(HEADER_BYTES + namespace.length);
  head[0] = VERSION;
  head[1] = KINDS.indexOf(kind);
  head[2] = CAUSES.indexOf(cause);
  head.writeUIntLE(operation, 3, 6);
  head.writeUIntLE(ms, 9, 6);
  head.writeDoubleLE(heldBytes, 15);
  head.writeUInt32LE(count, 23);
  head.writeUInt32LE(namespace.length, 27);
  head.write(namespace, HEADER_BYTES, 'latin1');
  return Buffer.concat([head, ...changes]);
}

export function decodeHeader(value: Buffer): HistoryHeader {
  return {
    kind: KINDS[value[1] ?? 0] ?? 'upsert',
    cause: CAUSES[value[2] ?? 0] ?? 'request',
    operation: value.readUIntLE(3, 6),
    ms: value.readUIntLE(9, 6),
    heldBytes: value.readDoubleLE(15),
    count: value.readUInt32LE(23),
    namespace: value.toString('latin1', HEADER_BYTES, HEADER_BYTES + value.readUInt32LE(27)),
  };
}

/** The changes of a batch of records, in order. */
export function* changesIn(value: Buffer): Generator<RecordedChange> {
  const count = value.readUInt32LE(23);
  let at = HEADER_BYTES + value.readUInt32LE(27);
  for (let i = 0; i < count; i++) {
    if (value[at] === IS_ABSENT) {
      const end = at + 3 + value.readUInt16LE(at + 1);
      yield { id: value.toString('latin1', at + 3, end), before: null };
      at = end;
      continue;
    }
    const from = at + IMAGE_HEADER_BYTES;
    const end = from + value.readUInt32LE(at + 9);
    const body = decodeRecord(value.subarray(from, end));
    const before = { ...body, row: value.readUInt32LE(at + 1), rowSum: value.readUInt32LE(at + 5) };
    yield { id: body.id, before };
    at = end;
  }
}

/** The namespace that was created, published or dropped, in a batch of such a kind. */
export function namespaceRowIn(value: Buffer): NamespaceRow {
  return decodeNamespaceRow(value.subarray(HEADER_BYTES + value.readUInt32LE(27)));
}

/** A namespace that was created, published or dropped. */
export interface NamespaceEvent {
  readonly kind: 'create-namespace' | 'delete-namespace';
  readonly cause: HistoryCause;
  /** As it was dropped, or right after its creation. */
  readonly row: NamespaceRow;
}

export function encodeEvent({ kind, cause, row }: NamespaceEvent): Buffer {
  return Buffer.from(JSON.stringify({ kind, cause, row: encodeNamespaceRow(row).toString() }));
}

export function decodeEvent(value: Buffer): NamespaceEvent {
  const stored = parseOwnJson<{ kind: NamespaceEvent['kind']; cause: HistoryCause; row: string }>(
    value.toString(),
  );
  return { ...stored, row: decodeNamespaceRow(Buffer.from(stored.row)) };
}
