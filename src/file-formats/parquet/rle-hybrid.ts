// Decodes the run-length and bit-packed hybrid of Parquet into typed arrays. The library's own decoder trusts the run
// lengths of the file and fills lists of boxed numbers; here a run never exceeds the requested length.
import { FileProblem } from '../file-bytes.ts';

const BITS_MAX = 32;
const HEADER_BYTES_MAX = 5;

/** Levels take one byte each, dictionary indices four. */
export type HybridTarget = Uint8Array | Uint32Array;

/**
 * Fills `target` with numbers of `width` bits (0 to 32).
 * @throws FileProblem when `bytes` ends first
 * @see https://parquet.apache.org/docs/file-format/data-pages/encodings/ (RLE = 3)
 */
export function readHybrid(bytes: Uint8Array, width: number, target: HybridTarget): void {
  if (width > BITS_MAX) throw new FileProblem(`a run of ${width}-bit numbers`);
  const valueBytes = (width + 7) >> 3;
  let at = 0;
  let filled = 0;
  while (filled < target.length) {
    let header = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined || shift > 28) throw new FileProblem('a run of numbers ends too early');
      header |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    const count = header >>> 1;
    if ((header & 1) === 1) {
      const valueCount = Math.min(count * 8, target.length - filled);
      unpack(bytes, { at, width, target, filled, valueCount });
      at += count * width;
      filled += valueCount;
    } else {
      if (at + valueBytes > bytes.length) throw new FileProblem('a run of numbers ends too early');
      let value = 0;
      for (let i = 0; i < valueBytes; i++) value |= (bytes[at + i] ?? 0) << (8 * i);
      at += valueBytes;
      const end = Math.min(target.length, filled + count);
      if (count === 0) throw new FileProblem('a run of numbers is empty');
      target.fill(value >>> 0, filled, end);
      filled = end;
    }
  }
}

/** True if the bytes begin with a run of at least `count` times `value`, like most levels of a page without nulls. */
export function isOneRun(bytes: Uint8Array, { width, count, value }: OneRun): boolean {
  let header = 0;
  for (let at = 0; at < HEADER_BYTES_MAX; at++) {
    const byte = bytes[at] ?? 0;
    header += (byte & 0x7f) * 2 ** (7 * at);
    if (byte >= 0x80) continue;
    // Numbers of up to 8 bits take one byte.
    return width <= 8 && header % 2 === 0 && header / 2 >= count && bytes[at + 1] === value;
  }
  return false;
}

interface OneRun {
  readonly width: number;
  readonly count: number;
  readonly value: number;
}

interface Packed {
  readonly at: number;
  readonly width: number;
  readonly target: HybridTarget;
  readonly filled: number;
  readonly valueCount: number;
}

function unpack(bytes: Uint8Array, { at, width, target, filled, valueCount }: Packed): void {
  if (at + Math.ceil((valueCount * width) / 8) > bytes.length) {
    throw new FileProblem('a run of numbers ends too early');
  }
  if (width === 1) {
    // Repetition levels of lists: nearly everything that is bit-packed.
    for (let i = 0; i < valueCount; i++) target[filled + i] = ((bytes[at + (i >> 3)] ?? 0) >> (i & 7)) & 1;
    return;
  }
  for (let i = 0, bit = 0; i < valueCount; i++, bit += width) {
    let value = 0;
    // Numbers of up to 32 bits that start anywhere in a byte span up to five bytes.
    for (let taken = 0; taken < width; ) {
      const place = bit + taken;
      const inByte = place & 7;
      const share = Math.min(8 - inByte, width - taken);
      const part = ((bytes[at + (place >> 3)] ?? 0) >> inByte) & ((1 << share) - 1);
      value += part * 2 ** taken;
      taken += share;
    }
    target[filled + i] = value;
  }
}
