// The file of a map: positions, ids and values of its points, in an order whose every beginning is an even sample.
import { crc32 } from 'node:zlib';
import type { MapField } from '../domain/maps/namespace-maps.ts';
import type { MapOrigin } from './port.ts';

const MAGIC = 0x504d4e50;
const FORMAT = 1;
/** Magic, format, CRC-32 of what follows it, bytes of the description. */
export const MAP_HEAD_BYTES = 16;
const CHECKED_FROM = 12;

export interface MapContent extends MapOrigin {
  readonly count: number;
  readonly columns: readonly MapField[];
  readonly x: Uint16Array;
  readonly y: Uint16Array;
  /** Where the UTF-8 of each id ends in `idBytes`. */
  readonly idEnds: Uint32Array;
  readonly idBytes: Uint8Array;
  /** The codes of each column. */
  readonly codes: readonly Uint8Array[];
}

interface Description extends MapOrigin {
  readonly count: number;
  readonly idBytes: number;
  readonly columns: readonly MapField[];
}

export function encodeMap(content: MapContent): Uint8Array<ArrayBuffer> {
  const { storageId, namespace, lsn, total, madeAt, count, columns, idBytes } = content;
  const origin: MapOrigin = { storageId, namespace, lsn, total, madeAt };
  const described: Description = { ...origin, count, columns, idBytes: idBytes.length };
  const description = Buffer.from(JSON.stringify(described));
  const parts = [
    description,
    bytesOf(content.x),
    bytesOf(content.y),
    bytesOf(content.idEnds),
    idBytes,
    ...content.codes,
  ];
  const length = parts.reduce((sum, part) => sum + part.length, MAP_HEAD_BYTES);
  const file = Buffer.from(new ArrayBuffer(length));
  let at = MAP_HEAD_BYTES;
  for (const part of parts) {
    file.set(part, at);
    at += part.length;
  }
  file.writeUInt32LE(MAGIC, 0);
  file.writeUInt32LE(FORMAT, 4);
  file.writeUInt32LE(description.length, CHECKED_FROM);
  file.writeUInt32LE(crc32(file.subarray(CHECKED_FROM)), 8);
  return new Uint8Array(file.buffer);
}

/** Null for bytes that are damaged or of another format: the map is derived, and is made again. */
export function decodeMap(bytes: Uint8Array): MapContent | null {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (descriptionBytes(file) === null) return null;
  if (file.readUInt32LE(8) !== crc32(file.subarray(CHECKED_FROM))) return null;
  let at = MAP_HEAD_BYTES;
  const next = (length: number): Uint8Array<ArrayBuffer> => {
    // A copy, since numbers have to be aligned.
    const part = Uint8Array.from(file.subarray(at, at + length));
    at += length;
    return part;
  };
  // The checksum tells that this process's own code wrote it.
  const described: Description = JSON.parse(Buffer.from(next(file.readUInt32LE(CHECKED_FROM))).toString());
  const { count, idBytes, ...rest } = described;
  return {
    ...rest,
    count,
    x: new Uint16Array(next(2 * count).buffer),
    y: new Uint16Array(next(2 * count).buffer),
    idEnds: new Uint32Array(next(4 * count).buffer),
    idBytes: next(idBytes),
    codes: rest.columns.map(() => next(count)),
  };
}

/** How long the description behind the head of a file is; null for what begins no map. */
export function descriptionBytes(bytes: Uint8Array): number | null {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.length < MAP_HEAD_BYTES || file.readUInt32LE(0) !== MAGIC || file.readUInt32LE(4) !== FORMAT)
    return null;
  return file.readUInt32LE(CHECKED_FROM);
}

/** What a map shows, by its description, which is not checked against the rest; null for a damaged one. */
export function decodeOrigin(description: Uint8Array): MapOrigin | null {
  try {
    const { storageId, namespace, lsn, total, madeAt }: Description = JSON.parse(
      Buffer.from(description).toString(),
    );
    return { storageId, namespace, lsn, total, madeAt };
  } catch {
    return null;
  }
}

/** The ids of points, in their order. */
export function idsIn(
  { idEnds, idBytes }: Pick<MapContent, 'idEnds' | 'idBytes'>,
  from: number,
  until: number,
) {
  const bytes = Buffer.from(idBytes.buffer, idBytes.byteOffset, idBytes.byteLength);
  return Array.from({ length: Math.max(0, until - from) }, (_, i) =>
    bytes.toString('utf8', from + i === 0 ? 0 : (idEnds[from + i - 1] ?? 0), idEnds[from + i] ?? 0),
  );
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint16Array | Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
