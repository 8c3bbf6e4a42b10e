// The stored form of a description: its JSON in one line, and the CRC-32 of that line in the next.
import { crc32 } from 'node:zlib';
import { BlobMissing, type Blobs } from '../../../blobs/port.ts';
import { parseOwnJson } from '../../../domain/json.ts';

/** Descriptions of a later format are left alone. */
const FORMAT = 1;
/** Far above what instructions and metadata may have. */
const BYTES_MAX = 4 * 2 ** 20;

interface Stored<Content> {
  readonly format: number;
  readonly content: Content;
}

export function encodeDescription(content: object): string {
  const stored: Stored<object> = { format: FORMAT, content };
  const json = JSON.stringify(stored);
  return `${json}\n${sumOf(json)}\n`;
}

/** Returns null when it is missing, damaged, or of a later release. @throws BlobsUnavailable */
export async function readDescription<Content>(
  blobs: Pick<Blobs, 'get'>,
  key: string,
): Promise<Content | null> {
  const text = await textOf(blobs, key);
  const [json = '', sum] = (text ?? '').split('\n');
  if (sum !== sumOf(json)) return null;
  const { format, content } = parseOwnJson<Stored<Content>>(json);
  return format === FORMAT ? content : null;
}

/** Durable when it resolves; writes nothing where this is what is kept. @throws BlobsUnavailable */
export async function keepDescription(
  blobs: Pick<Blobs, 'get' | 'put'>,
  key: string,
  content: object,
): Promise<void> {
  const text = encodeDescription(content);
  if ((await textOf(blobs, key)) !== text) await blobs.put(key, once(text));
}

async function textOf(blobs: Pick<Blobs, 'get'>, key: string): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of blobs.get(key, { first: 0, last: BYTES_MAX })) pieces.push(piece);
  } catch (error) {
    if (error instanceof BlobMissing) return null;
    throw error;
  }
  return Buffer.concat(pieces).toString();
}

function sumOf(json: string): string {
  return crc32(json).toString(16).padStart(8, '0');
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
