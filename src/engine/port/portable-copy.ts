// Copies of an index as portable records: checksummed frames of namespaces and their records, for any engine to read.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { IndexProfile, MetadataSchema } from '../../domain/index-model.ts';
import { parseOwnJson } from '../../domain/json.ts';
import { CopyFailed } from './copy-failed.ts';
import type { CopyDetails } from './index-copies.ts';

/** Written at the start: a copy in another form is refused. */
const FORMAT = 'pinyon-records';
const VERSION = 1;
const KINDS = { head: 1, namespace: 2, records: 3, end: 4 } as const;
/** Kind u8, number u32, length u32, then the CRC-32 of these and the content, u32. */
const HEADER_BYTES = 13;
const FRAME_BYTES_MAX = 2 ** 28;

/** True for the beginning of a portable copy: its first frame is the head, number 0. */
export function isPortable(bytes: Uint8Array): boolean {
  return bytes[0] === KINDS.head && bytes[1] === 0 && bytes[2] === 0;
}

export type FrameKind = keyof typeof KINDS;

export interface Frame {
  readonly kind: FrameKind;
  readonly content: Buffer;
}

export interface CopyHead extends CopyDetails {
  readonly format: string;
  readonly version: number;
  /** Vector type, metric and dimension of the index. */
  readonly shape: string;
}

export interface CopiedNamespace {
  readonly name: string;
  readonly schema: MetadataSchema | null;
  readonly isExplicit: boolean;
}

export function headOf(profile: IndexProfile, details: CopyDetails): CopyHead {
  return { format: FORMAT, version: VERSION, shape: shapeOf(profile), ...details };
}

/** @throws CopyFailed newer or mismatch */
export function checkHead(content: Buffer, profile: IndexProfile): CopyHead {
  // Its checksum shows that `headOf` made it.
  const head = parseOwnJson<CopyHead>(content.toString());
  if (head.version > VERSION) throw new CopyFailed('newer', `the copy has version ${head.version}`);
  if (!fits(head.shape, profile)) throw new CopyFailed('mismatch', `the copy is of ${head.shape}`);
  return head;
}

/** Numbers frames and hashes what they are written as. */
export class FrameWriter {
  readonly #hash = createHash('sha256');
  #number = 0;

  frame(kind: FrameKind, content: Uint8Array): Uint8Array {
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt8(KINDS[kind], 0);
    header.writeUInt32LE(this.#number++, 1);
    header.writeUInt32LE(content.length, 5);
    header.writeUInt32LE(crc32(content, crc32(header.subarray(0, 9))), 9);
    const bytes = Buffer.concat([header, content]);
    this.#hash.update(bytes);
    return bytes;
  }

  /** Of all frames, in hexadecimal. */
  digest(): string {
    return this.#hash.digest('hex');
  }
}

/** The frames of a copy, whole and in order. @throws CopyFailed damaged */
export async function* framesOf(
  pieces: AsyncIterable<Uint8Array>,
  sha256: string | undefined,
): AsyncGenerator<Frame> {
  const hash = createHash('sha256');
  let waiting: Uint8Array[] = [];
  let size = 0;
  /** Less is not joined: pieces are small, and a damaged length may be that of the largest frame. */
  let neededSize = HEADER_BYTES;
  let number = 0;
  let isEnded = false;
  for await (const piece of pieces) {
    hash.update(piece);
    // The sender may use the buffer of its piece again.
    waiting.push(Uint8Array.from(piece));
    size += piece.length;
    if (size < neededSize && !isEnded) continue;
    let joined = Buffer.concat(waiting);
    for (;;) {
      if (isEnded && joined.length > 0) throw damaged('something follows its end');
      neededSize = frameBytes(joined, number);
      if (joined.length < neededSize) break;
      const frame = frameOf(joined.subarray(0, neededSize), number);
      joined = joined.subarray(neededSize);
      number += 1;
      isEnded = frame.kind === 'end';
      yield frame;
    }
    waiting = [joined];
    size = joined.length;
  }
  if (!isEnded) throw damaged('it is truncated');
  if (sha256 !== undefined && hash.digest('hex') !== sha256) throw damaged('the checksum is wrong');
}

/** How long the frame is that begins here; as long as a header while that is not there. @throws CopyFailed damaged */
function frameBytes(bytes: Buffer, number: number): number {
  if (bytes.length < HEADER_BYTES) return HEADER_BYTES;
  const kind = kindOf(bytes);
  const length = bytes.readUInt32LE(5);
  if (kind === undefined || bytes.readUInt32LE(1) !== number || length > FRAME_BYTES_MAX)
    throw damaged(`frame ${number} is not what was expected`);
  if ((number === 0) !== (kind === 'head')) throw damaged('it has no beginning');
  return HEADER_BYTES + length;
}

/** @throws CopyFailed damaged */
function frameOf(bytes: Buffer, number: number): Frame {
  const kind = kindOf(bytes);
  const content = bytes.subarray(HEADER_BYTES);
  if (kind === undefined || bytes.readUInt32LE(9) !== crc32(content, crc32(bytes.subarray(0, 9))))
    throw damaged(`frame ${number} has another checksum`);
  return { kind, content };
}

function kindOf(bytes: Buffer): FrameKind | undefined {
  return (Object.keys(KINDS) as readonly FrameKind[]).find((each) => KINDS[each] === bytes[0]);
}

function damaged(message: string): CopyFailed {
  return new CopyFailed('damaged', message);
}

function shapeOf({ vectorType, metric, dimension }: IndexProfile): string {
  return [vectorType, metric, dimension].join(' ');
}

/** An index of another metric takes the records, too. */
function fits(shape: string, profile: IndexProfile): boolean {
  const [vectorType, , dimension] = shape.split(' ');
  return vectorType === profile.vectorType && dimension === `${profile.dimension ?? ''}`;
}
