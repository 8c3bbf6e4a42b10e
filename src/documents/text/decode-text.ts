// Decodes the bytes of a text file: by byte order mark, else as UTF-8, else as it says itself, else as Latin-1.
import { refusal } from '../refusal.ts';

const BYTE_ORDER_MARKS = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { bytes: [0xff, 0xfe], encoding: 'utf-16le' },
  { bytes: [0xfe, 0xff], encoding: 'utf-16be' },
] as const;
/** What all browsers take Latin-1 for. */
const LATIN_1 = 'windows-1252';
/** Bytes looked at to tell text from binary data. */
const SAMPLE_BYTES = 4096;
/** In text every few characters of UTF-16 are ASCII; in binary data zeros are not all on one side. */
const UTF16_ZEROS_MIN = 0.2;
/** Latin-1 gives every byte a meaning, so only text that looks like text is taken for it. */
const CONTROLS_MAX = 0.01;

/**
 * @param declared what the file says its encoding is; believed only where the bytes do not tell
 * @returns the text without its byte order mark
 * @throws DocumentRefusal `corrupt` for binary data, and when the mark does not fit the bytes
 */
export function decodeText(bytes: Uint8Array, declared = LATIN_1): string {
  const marked = BYTE_ORDER_MARKS.find((mark) => mark.bytes.every((byte, at) => bytes[at] === byte));
  if (marked !== undefined) return decodeAs(marked.encoding, bytes);
  const utf16 = unmarkedUtf16(bytes);
  if (utf16 !== undefined) return decodeAs(utf16, bytes);
  if (bytes.includes(0)) throw refusal('corrupt', { detail: 'it holds binary data, not text' });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return decodeUnmarked(bytes, declared);
  }
}

function decodeAs(encoding: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw refusal('corrupt', { detail: `it is marked as ${encoding.toUpperCase()} but is not` });
  }
}

/** UTF-16 without a mark has its zeros, the upper halves of ASCII, on one side only. */
function unmarkedUtf16(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const zeros = [0, 0];
  for (const [at, byte] of sample.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const least = (sample.length / 2) * UTF16_ZEROS_MIN;
  if (bytes.length % 2 === 1 || even + odd < least || Math.min(even, odd) > 0) return undefined;
  return odd > 0 ? 'utf-16le' : 'utf-16be';
}

function decodeUnmarked(bytes: Uint8Array, declared: string): string {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const controls = sample.reduce((count, byte) => count + (isControl(byte) ? 1 : 0), 0);
  if (controls > sample.length * CONTROLS_MAX) {
    throw refusal('corrupt', { detail: 'it holds binary data, not text' });
  }
  try {
    return new TextDecoder(declared, { fatal: true }).decode(bytes);
  } catch {
    // An encoding that is unknown or not the file's.
    return new TextDecoder(LATIN_1).decode(bytes);
  }
}

function isControl(byte: number): boolean {
  // Escape introduces the character sets of ISO-2022-JP.
  return byte < 0x20 && byte !== 0x1b && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d;
}
