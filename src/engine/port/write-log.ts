// The log of an index's writes, with what they wrote: read from one index to be kept elsewhere, and carried out on another.
import { Buffer } from 'node:buffer';
import type { IndexProfile, MetadataSchema } from '../../domain/index-model.ts';
import { parseOwnJson } from '../../domain/json.ts';
import { CopyFailed } from './copy-failed.ts';
import type { PackedRecords } from './packed-records.ts';
import { frameContent, recordsIn } from './portable-records.ts';
import type { Lsn, StorableRecord } from './reader-and-writer.ts';

/** What one write changed in one namespace: its changes have its number, and stand in order. */
export type LoggedChange = {
  readonly lsn: Lsn;
  /** When it was written, in milliseconds since 1970; never earlier than the changes before. */
  readonly ms: number;
  readonly namespace: string;
} & (
  | { readonly kind: 'put'; readonly records: readonly StorableRecord[] }
  /** Their dense values stay as they are, and are not here. */
  | { readonly kind: 'rewrite'; readonly records: readonly StorableRecord[] }
  | { readonly kind: 'remove'; readonly ids: readonly string[] }
  | {
      readonly kind: 'create-namespace';
      readonly schema: MetadataSchema | null;
      readonly isExplicit: boolean;
    }
  | { readonly kind: 'drop-namespace' }
);

/** The same, with records as they are encoded. */
export type ChangeToLog = Pick<LoggedChange, 'lsn' | 'ms' | 'namespace'> &
  (
    | { readonly kind: 'put' | 'rewrite'; readonly records: PackedRecords }
    | Pick<Extract<LoggedChange, { kind: 'remove' }>, 'kind' | 'ids'>
    | Pick<Extract<LoggedChange, { kind: 'create-namespace' }>, 'kind' | 'schema' | 'isExplicit'>
    | { readonly kind: 'drop-namespace' }
  );

/** A piece of the log of one index. */
export interface LogPart {
  /** Encoded changes, in order; the last of them may be of a write that the next part goes on with. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly changes: number;
  /** With this part, all changes of writes up to this one have been read. */
  readonly toLsn: Lsn;
  /** The time of the last change up to there, or 0 where it is not known. */
  readonly toMs: number;
  /** False where nothing was written since. */
  readonly hasMore: boolean;
}

/** The history of the index does not reach back to where the reading would go on: a copy has to take its place. */
export interface LogGap {
  readonly gap: string;
}

/** The storage of an index on disk. */
export interface LoggedStorage {
  readonly id: string;
  /** Another text after each commit; perhaps also where nothing was committed. */
  readonly version: string;
}

export interface LogRequest {
  readonly storageId: string;
  /** As the part before ended; another number begins anew behind that write. */
  readonly after: Lsn;
  readonly bytesMax: number;
}

/** The logs of all indexes of an engine, read beside its writes and without their help. */
export interface WriteLogs {
  /** All storage there is. */
  storages(): Promise<readonly LoggedStorage[]>;
  /** Null where there is no such storage, or none that can be read yet. */
  read(request: LogRequest): Promise<LogPart | LogGap | null>;
  /**
   * Carries out encoded changes on an index, each once: those that it has, by their position, are passed over.
   * @param first position of the first of them among all changes since the copy that the index was made from
   * @throws CopyFailed damaged when they are not changes of such an index; storage-full, index-not-found
   */
  replay(
    profile: IndexProfile,
    changes: { readonly first: number; readonly bytes: Uint8Array },
  ): Promise<void>;
}

const KINDS = ['put', 'rewrite', 'remove', 'create-namespace', 'drop-namespace'] as const;
/** Length of the rest u32, kind u8, LSN u48, milliseconds u48, length of the name u32. */
const HEADER_BYTES = 21;

export function encodeChange(change: ChangeToLog): Buffer {
  const payload = payloadOf(change);
  const { kind, lsn, ms, namespace } = change;
  const header = Buffer.allocUnsafe(HEADER_BYTES + namespace.length);
  header.writeUInt32LE(HEADER_BYTES - 4 + namespace.length + payload.length, 0);
  header[4] = KINDS.indexOf(kind);
  header.writeUIntLE(lsn, 5, 6);
  header.writeUIntLE(ms, 11, 6);
  header.writeUInt32LE(namespace.length, 17);
  header.write(namespace, HEADER_BYTES, 'latin1');
  return Buffer.concat([header, payload]);
}

function payloadOf(change: ChangeToLog): Uint8Array {
  switch (change.kind) {
    case 'put':
    case 'rewrite':
      return frameContent(change.records);
    case 'remove':
      return Buffer.from(JSON.stringify(change.ids));
    case 'create-namespace':
      return Buffer.from(JSON.stringify({ schema: change.schema, isExplicit: change.isExplicit }));
    case 'drop-namespace':
      return new Uint8Array(0);
  }
}

/** An encoded change with what its header tells. */
export interface EncodedChange {
  readonly lsn: Lsn;
  readonly ms: number;
  readonly bytes: Buffer;
}

/** The changes in `bytes`, still encoded. @throws CopyFailed damaged */
export function* encodedChanges(bytes: Uint8Array): Generator<EncodedChange> {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < all.length; ) {
    const end = at + HEADER_BYTES > all.length ? Number.POSITIVE_INFINITY : at + 4 + all.readUInt32LE(at);
    if (end > all.length || end < at + HEADER_BYTES) throw damaged('a change ends too early');
    yield { lsn: all.readUIntLE(at + 5, 6), ms: all.readUIntLE(at + 11, 6), bytes: all.subarray(at, end) };
    at = end;
  }
}

/** @param dimension null on sparse indexes. @throws CopyFailed damaged */
export function decodeChange({ lsn, ms, bytes }: EncodedChange, dimension: number | null): LoggedChange {
  const kind = KINDS[bytes[4] ?? KINDS.length];
  const start = HEADER_BYTES + bytes.readUInt32LE(17);
  if (kind === undefined) throw damaged('a change is of no known kind');
  if (start > bytes.length) throw damaged('a change has no namespace');
  const common = { lsn, ms, namespace: bytes.toString('latin1', HEADER_BYTES, start) };
  const payload = bytes.subarray(start);
  switch (kind) {
    case 'put':
      return { ...common, kind, records: recordsIn(payload, dimension) };
    case 'rewrite':
      return { ...common, kind, records: recordsIn(payload, null) };
    case 'remove':
      // `encodeChange` wrote it; whoever stores it stores a checksum.
      return { ...common, kind, ids: parseOwnJson<readonly string[]>(payload.toString()) };
    case 'create-namespace': {
      const { schema, isExplicit } = parseOwnJson<
        Pick<Extract<LoggedChange, { kind: 'create-namespace' }>, 'schema' | 'isExplicit'>
      >(payload.toString());
      return { ...common, kind, schema, isExplicit };
    }
    case 'drop-namespace':
      return { ...common, kind };
  }
}

function damaged(message: string): CopyFailed {
  return new CopyFailed('damaged', message);
}
