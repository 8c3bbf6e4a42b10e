// Parses JSON files and JSON lines: each value becomes one line with its path, such as
// `orders[2].customer.name: Ann`.
import type { ParsedDocument } from '../document-model.ts';
import type { ParseLimits } from '../limits.ts';
import { refusal } from '../refusal.ts';
import { decodeText } from '../text/decode-text.ts';
import { DocumentWriter } from '../text/document-writer.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** The code of `{`, which is that of `[` with bit 32 set; the same holds for `}` and `]`. */
const OPENING = 0x7b;
const CLOSING = 0x7d;
const PLAIN_KEY = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

/**
 * Parses JSON. Empty arrays, empty objects and nulls are left out, since they contain nothing to search for.
 * @throws DocumentRefusal `corrupt`, `too-deep`, `too-large` or `empty`
 */
export function parseJson(bytes: Uint8Array, limits: ParseLimits): ParsedDocument {
  const text = decodeText(bytes);
  // Checked before parsing, because nesting costs the parser far more memory than its bytes suggest.
  checkDepth(text, limits.depthMax);
  const writer = new DocumentWriter(limits);
  writeValue(parsedValue(text), '', writer);
  return writer.finish('json');
}

function parsedValue(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return linesOf(text) ?? notJson();
  }
}

/** The values of JSON lines as an array; null when there is only one line, or a line is not JSON. */
function linesOf(text: string): Json | null {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (lines.length < 2) return null;
  try {
    return lines.map((line): Json => JSON.parse(line));
  } catch {
    return null;
  }
}

function notJson(): never {
  throw refusal('corrupt', { detail: 'it is not valid JSON' });
}

function checkDepth(text: string, depthMax: number): void {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) inString = !inString;
    else if (inString) at += sign === BACKSLASH ? 1 : 0;
    else if ((sign | 32) === OPENING && ++depth > depthMax) throw refusal('too-deep', { max: depthMax });
    else if ((sign | 32) === CLOSING) depth--;
  }
}

/** Writes a value and those nested in it. Recursion is safe: the depth has been checked. */
function writeValue(value: Json, path: string, writer: DocumentWriter): void {
  if (value === null) return;
  if (typeof value !== 'object') {
    const shown = typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : String(value);
    if (shown !== '') writer.add({ kind: 'row', text: path === '' ? shown : `${path}: ${shown}` });
  } else if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) writeValue(item, `${path}[${at}]`, writer);
  } else {
    for (const [key, item] of Object.entries(value)) writeValue(item, joined(path, key), writer);
  }
}

function joined(path: string, key: string): string {
  if (!PLAIN_KEY.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}
