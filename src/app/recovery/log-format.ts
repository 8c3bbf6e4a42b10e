// The layout of the recovery log in blobs: timelines, numbered objects with what was written since the one before, and
// copies of indexes from which reading begins.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, crc32, zstdCompress, zstdDecompressSync } from 'node:zlib';
import type { Blobs } from '../../blobs/port.ts';
import { parseOwnJson } from '../../domain/json.ts';

export const RECOVERY_FORMAT = 1;
export const RECOVERY_PREFIX = 'recovery/';
export const TIMELINES_PREFIX = `${RECOVERY_PREFIX}timelines/`;
const TIMELINE_KEY = /^recovery\/timelines\/([\da-f-]+)\.([\da-f-]+)\.json$/;
const MAGIC = 0x524c_4e50;
/** Magic u32, length of the header u32, its CRC-32 u32. */
export const PREAMBLE_BYTES = 12;
const HEADER_BYTES_MAX = 2 ** 26;
/** One request reads the header of most objects. */
const HEADER_READ_BYTES = 2 ** 16;
const NUMBER_DIGITS = 12;
const SAMPLE_BYTES = 2 ** 15;
/** A section is compressed where that saves so much. */
const SAVED_SHARE_MIN = 0.2;

/** Where an installation ships to: nobody else adds to it. */
export interface Timeline {
  /** A UUID that sorts by time. */
  readonly id: string;
  readonly installation: string;
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
  readonly release: string;
}

export interface StoredSection {
  readonly bytes: number;
  readonly rawBytes: number;
  readonly isCompressed: boolean;
  /** CRC-32 of the bytes as stored. */
  readonly crc: number;
}

/** Changes of writes of an index after one write, up to another. */
export interface WritesSection extends StoredSection {
  readonly kind: 'writes';
  readonly storage: string;
  readonly from: number;
  readonly to: number;
  readonly changes: number;
}

export interface CatalogSection extends StoredSection {
  readonly kind: 'catalog';
  /** When these pages were the catalog. */
  readonly ms: number;
  readonly pageBytes: number;
  readonly pageCount: number;
  /** Numbers of the pages; null for all. */
  readonly changed: readonly number[] | null;
  /** Of the whole file. */
  readonly sha256: string;
}

export type Section =
  | WritesSection
  | CatalogSection
  /** Writes could not be read: the next copy of the index goes on. */
  | { readonly kind: 'gap'; readonly storage: string; readonly reason: string }
  | { readonly kind: 'dropped'; readonly storage: string };

export interface LogHeader {
  readonly format: number;
  /** Random: tells the objects of two writers apart. */
  readonly id: string;
  readonly number: number;
  /** The first object that is kept: earlier ones may be missing. */
  readonly first: number;
  /** When the look began that it is of, in milliseconds since 1970. */
  readonly at: number;
  /** Everything written until then is in this object and those before it. */
  readonly isComplete: boolean;
  readonly sections: readonly Section[];
}

/** A copy of an index. */
export interface BaseManifest {
  readonly format: number;
  readonly id: string;
  readonly storage: string;
  /** The last write that it has. */
  readonly lsn: number;
  /** All its writes were made before, in milliseconds since 1970. */
  readonly at: number;
  /** The first object that may have later writes. */
  readonly number: number;
  /** The bytes of each; none for an index whose log begins with nothing. */
  readonly parts: readonly number[];
  /** Of all parts together. */
  readonly sha256: string;
}

/** An object or a copy is missing or is not as it was written. */
export class LogDamaged extends Error {
  readonly key: string;

  constructor(key: string, reason: string, cause?: unknown) {
    super(`${key} ${reason}`, { cause });
    this.name = 'LogDamaged';
    this.key = key;
  }
}

export function timelineKey({ installation, id }: Pick<Timeline, 'installation' | 'id'>): string {
  return `${TIMELINES_PREFIX}${installation}.${id}.json`;
}

/** What the key of a timeline names; null for files of others. */
export function timelineNamed(key: string): Pick<Timeline, 'installation' | 'id'> | null {
  const [, installation, id] = TIMELINE_KEY.exec(key) ?? [];
  return installation === undefined || id === undefined ? null : { installation, id };
}

/** The ids of an installation's timelines, rising. @throws BlobsUnavailable */
export async function timelineIdsOf(
  blobs: Pick<Blobs, 'list'>,
  installation: string,
): Promise<readonly string[]> {
  const keys = await Array.fromAsync(keysWith(blobs, `${TIMELINES_PREFIX}${installation}.`));
  return keys.flatMap((key) => timelineNamed(key)?.id ?? []).sort();
}

export function timelinePrefix(timeline: string): string {
  return `${RECOVERY_PREFIX}${timeline}/`;
}

export function logPrefix(timeline: string): string {
  return `${timelinePrefix(timeline)}log/`;
}

export function logKey(timeline: string, number: number): string {
  return `${logPrefix(timeline)}${digitsOf(number)}`;
}

export function catalogsPrefix(timeline: string): string {
  return `${timelinePrefix(timeline)}catalogs/`;
}

/** Says that the object of this number has the whole catalog. */
export function wholeCatalogKey(timeline: string, number: number): string {
  return `${catalogsPrefix(timeline)}${digitsOf(number)}`;
}

export function basesPrefix(timeline: string): string {
  return `${timelinePrefix(timeline)}bases/`;
}

export function basePrefix(timeline: string, { storage, id }: Pick<BaseManifest, 'storage' | 'id'>): string {
  return `${basesPrefix(timeline)}${storage}/${id}/`;
}

export const MANIFEST = 'manifest.json';

export function basePartKey(
  timeline: string,
  base: Pick<BaseManifest, 'storage' | 'id'>,
  part: number,
): string {
  return `${basePrefix(timeline, base)}part-${String(part).padStart(6, '0')}`;
}

/** The number that a key ends with. */
export function numberOf(key: string): number {
  return Number(key.slice(-NUMBER_DIGITS));
}

function digitsOf(number: number): string {
  return String(number).padStart(NUMBER_DIGITS, '0');
}

const compress = promisify(zstdCompress);
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** A section as stored. */
export async function packSection(
  raw: Uint8Array,
): Promise<StoredSection & { readonly content: Uint8Array }> {
  const middle = Math.max(0, Math.floor((raw.length - SAMPLE_BYTES) / 2));
  const sample = raw.subarray(middle, middle + SAMPLE_BYTES);
  const pays = async (part: Uint8Array) => {
    const packed = await compress(part, FAST);
    return packed.length <= (1 - SAVED_SHARE_MIN) * part.length ? packed : null;
  };
  const packed = raw.length > 0 && (await pays(sample)) !== null ? await pays(raw) : null;
  const content = packed ?? raw;
  return {
    content,
    bytes: content.length,
    rawBytes: raw.length,
    isCompressed: packed !== null,
    crc: crc32(content),
  };
}

/** An object as stored. */
export function encodeObject(header: LogHeader, contents: readonly Uint8Array[]): Buffer {
  const text = Buffer.from(JSON.stringify(header));
  const preamble = Buffer.alloc(PREAMBLE_BYTES);
  preamble.writeUInt32LE(MAGIC, 0);
  preamble.writeUInt32LE(text.length, 4);
  preamble.writeUInt32LE(crc32(text), 8);
  return Buffer.concat([preamble, text, ...contents]);
}

/** Reads the header of an object, without its sections. @throws LogDamaged; BlobMissing, BlobsUnavailable */
export async function readHeader(blobs: Pick<Blobs, 'get'>, key: string): Promise<LogHeader> {
  const start = await bytesOf(blobs.get(key, { first: 0, last: HEADER_READ_BYTES - 1 }));
  const end = headerEnd(key, start);
  const all = end <= start.length ? start : await bytesOf(blobs.get(key, { first: 0, last: end - 1 }));
  return headerIn(key, all);
}

/** An object as a whole, with the content of its sections on demand. @throws as `readHeader` */
export async function readObject(
  blobs: Pick<Blobs, 'get'>,
  key: string,
): Promise<{ readonly header: LogHeader; readonly content: (section: Section) => Buffer }> {
  const all = await bytesOf(blobs.get(key));
  const header = headerIn(key, all);
  const ends = new Map<Section, number>();
  let end = headerEnd(key, all);
  for (const section of header.sections) {
    end += 'bytes' in section ? section.bytes : 0;
    ends.set(section, end);
  }
  if (end !== all.length) throw new LogDamaged(key, `has ${all.length} bytes, expected ${end}`);
  return {
    header,
    content: (section) => {
      if (!('bytes' in section)) return Buffer.alloc(0);
      const at = (ends.get(section) ?? 0) - section.bytes;
      const stored = all.subarray(at, at + section.bytes);
      if (crc32(stored) !== section.crc) throw new LogDamaged(key, 'does not have its checksum');
      return section.isCompressed
        ? zstdDecompressSync(stored, { maxOutputLength: Math.max(1, section.rawBytes) })
        : stored;
    },
  };
}

function headerEnd(key: string, bytes: Buffer): number {
  const isLog = bytes.length >= PREAMBLE_BYTES && bytes.readUInt32LE(0) === MAGIC;
  const length = isLog ? bytes.readUInt32LE(4) : Number.POSITIVE_INFINITY;
  if (length > HEADER_BYTES_MAX) throw new LogDamaged(key, 'is no object of a recovery log');
  return PREAMBLE_BYTES + length;
}

function headerIn(key: string, bytes: Buffer): LogHeader {
  const end = headerEnd(key, bytes);
  const text = bytes.subarray(PREAMBLE_BYTES, end);
  if (bytes.length < end || crc32(text) !== bytes.readUInt32LE(8))
    throw new LogDamaged(key, 'does not have its checksum');
  const header = parseOwnJson<LogHeader>(text.toString());
  if (header.format !== RECOVERY_FORMAT)
    throw new LogDamaged(key, `has format ${header.format}; this release reads ${RECOVERY_FORMAT}`);
  return header;
}

/** JSON with a digest of it in front. */
export function sealed(value: object): Buffer {
  const text = JSON.stringify(value);
  return Buffer.from(`${digestOf(text)}\n${text}\n`);
}

/** @throws LogDamaged; BlobMissing, BlobsUnavailable */
export async function readSealed<Value extends object>(
  blobs: Pick<Blobs, 'get'>,
  key: string,
): Promise<Value> {
  const [digest, text = ''] = (await bytesOf(blobs.get(key))).toString().split('\n');
  if (digest !== digestOf(text)) throw new LogDamaged(key, 'does not have its digest');
  return parseOwnJson<Value>(text);
}

export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** All keys with a prefix, in bytewise order. */
export async function* keysWith(blobs: Pick<Blobs, 'list'>, prefix: string): AsyncGenerator<string> {
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<Blobs['list']>> = await blobs.list(prefix, cursor);
    for (const { key } of page.items) yield key;
    cursor = page.next;
  } while (cursor !== null);
}

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
