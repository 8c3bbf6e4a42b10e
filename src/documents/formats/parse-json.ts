// Reads JSON files, and files of one JSON value a line: each value becomes one line with its path,
// `orders[2].customer.name: Ann`.
import type { ParsedDocument } from '../document-model.ts';
import type { ParseLimits } from '../limits.ts';
import { refusal } from '../refusal.ts';
import { decodeText } from '../text/decode-text.ts';
import { DocumentWriter } from '../text/document-writer.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `{`, which is `[` with the bit 32; `}` and `]` likewise. */
const OPENING = 0x7b;
const CLOSING = 0x7d;
const PLAIN_KEY = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

/**
 * Empty lists, empty objects and nulls hold nothing to find and are left out.
 * @throws DocumentRefusal `corrupt`, `too-deep`, `too-large` or `empty`
 */
export function parseJson(bytes: Uint8Array, limits: ParseLimits): ParsedDocument {
  const text = decodeText(bytes);
  // Before parsing: nesting costs the parser far more memory than it costs the sender.
  checkDepth(text, limits.depthMax);
  const writer = new DocumentWriter(limits);
  writeValue(parsedValue(text), '', writer);
  return writer.finish('json');
}

function parsedValue(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return linesOf(text) ?? notJson();
  }
}

/** A list of the values of lines; null when there are not several, or one is none. */
function linesOf(text: string): Json | null {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (lines.length < 2) return null;
  try {
    return lines.map((line) => JSON.parse(line) as Json);
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

/** Recursion is safe here: the depth has been checked. */
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
