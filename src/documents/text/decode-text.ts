// Decodes a text file: by its byte order mark, else as UTF-8, else by its declared encoding, else as Latin-1.
import { refusal } from '../refusal.ts';

const BYTE_ORDER_MARKS = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { bytes: [0xff, 0xfe], encoding: 'utf-16le' },
  { bytes: [0xfe, 0xff], encoding: 'utf-16be' },
] as const;
/** Browsers treat Latin-1 as this encoding. */
const LATIN_1 = 'windows-1252';
/** Bytes examined to distinguish text from binary data. */
const SAMPLE_BYTES = 4096;
/** UTF-16 text contains ASCII every few characters, so at least this share of the bytes on one side is zero. */
const UTF16_ZEROS_MIN = 0.2;
/** Every byte is valid Latin-1, so bytes with more control characters than this count as binary data. */
const CONTROLS_MAX = 0.01;

/**
 * Decodes text.
 * @param declared the encoding that the file declares; used only when the bytes do not decide
 * @returns the text without its byte order mark
 * @throws DocumentRefusal `corrupt` for binary data, and when the mark contradicts the bytes
 */
export function decodeText(bytes: Uint8Array, declared = LATIN_1): string {
  const marked = BYTE_ORDER_MARKS.find((mark) => mark.bytes.every((byte, at) => bytes[at] === byte));
  if (marked !== undefined) return decodeAs(marked.encoding, bytes);
  const utf16 = unmarkedUtf16(bytes);
  if (utf16 !== undefined) return decodeAs(utf16, bytes);
  if (bytes.includes(0)) throw refusal('corrupt', { detail: 'it contains binary data, not text' });
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
    throw refusal('corrupt', {
      detail: `its byte order mark says ${encoding.toUpperCase()}, but its bytes are not`,
    });
  }
}

/** Detects UTF-16 without a mark: its zeros, the high bytes of ASCII, are on one side only. */
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
    throw refusal('corrupt', { detail: 'it contains binary data, not text' });
  }
  try {
    return new TextDecoder(declared, { fatal: true }).decode(bytes);
  } catch {
    // The declared encoding is unknown, or the bytes contradict it.
    return new TextDecoder(LATIN_1).decode(bytes);
  }
}

function isControl(byte: number): boolean {
  // Escape introduces the character sets of ISO-2022-JP.
  return byte < 0x20 && byte !== 0x1b && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d;
}
