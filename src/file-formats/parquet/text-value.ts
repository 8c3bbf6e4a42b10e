// Texts of columns, which are bytes that must be UTF-8.
import { Buffer, isUtf8 } from 'node:buffer';
import { FileProblem } from '../file-bytes.ts';

const REPLACEMENT = '\ufffd';

/** In the place of a text whose bytes are not UTF-8. */
export class NotText {
  /** As the file names it. */
  readonly column: string;

  constructor(column: string) {
    this.column = column;
  }
}

export interface DecodedText {
  readonly text: string | NotText;
  /** Bytes kept of the value. */
  readonly bytes: number;
}

/**
 * @param column for the one whose text is not UTF-8
 * @param bytesMax what goes beyond is left out, and what is left is not checked
 * @throws FileProblem if the value is no bytes
 */
export function decodeText(value: unknown, column: string, bytesMax: number): DecodedText {
  if (!(value instanceof Uint8Array)) throw new FileProblem('a string value is not a byte array');
  const { buffer, byteOffset, byteLength } = value;
  const bytes = Math.min(byteLength, bytesMax);
  const text = Buffer.from(buffer, byteOffset, bytes).toString('utf8');
  // Only texts with this character need the check: it stands for what is not UTF-8, unless the text has it itself.
  const isDamaged = bytes === byteLength && text.includes(REPLACEMENT) && !isUtf8(value);
  return { text: isDamaged ? new NotText(column) : text, bytes };
}
