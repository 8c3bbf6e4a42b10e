// Divides RTF into its tokens: groups, control words, control symbols and text (Rich Text Format 1.9.1, "RTF Syntax").
import { refusal } from '../../refusal.ts';

export interface RtfToken {
  /** `begin` and `end` of a group, a control word, a control symbol, or bytes of text. */
  readonly kind: 'begin' | 'end' | 'word' | 'symbol' | 'text';
  /** The name of a word, the sign of a symbol; text as one character a byte. */
  readonly text: string;
  /** The number after a control word. */
  readonly value?: number;
}

const TOKEN =
  /\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z'])|([{}])|([^\\{}\r\n]{1,65536})|[\r\n]+/y;
const BINARY = 'bin';

/** @throws DocumentRefusal `corrupt` */
export function* rtfTokens(bytes: Uint8Array): Generator<RtfToken> {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  let length = bytes.length;
  // Some programs end files with zeros.
  while (bytes[length - 1] === 0) length--;
  for (let at = 0; at < length; ) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(source);
    if (match === null) throw refusal('corrupt', { detail: 'its RTF is invalid' });
    at = TOKEN.lastIndex;
    const token = tokenOf(match);
    if (token?.text === BINARY && token.kind === 'word') at += Math.max(0, token.value ?? 0);
    else if (token !== undefined) yield token;
  }
}

function tokenOf([, word, value, byte, symbol, brace, text]: RegExpExecArray): RtfToken | undefined {
  if (text !== undefined) return { kind: 'text', text };
  if (brace !== undefined) return { kind: brace === '{' ? 'begin' : 'end', text: brace };
  if (byte !== undefined) return { kind: 'text', text: String.fromCharCode(Number.parseInt(byte, 16)) };
  if (symbol !== undefined) return { kind: 'symbol', text: symbol };
  if (word === undefined) return undefined;
  return { kind: 'word', text: word, ...(value !== undefined && { value: Number(value) }) };
}
