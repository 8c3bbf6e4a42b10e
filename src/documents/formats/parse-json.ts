// Parses JSON files and JSON lines: each record becomes one line with its path.
import type { ParsedDocument } from '../document-model.ts';
import type { ParseLimits } from '../limits.ts';
import { refusal } from '../refusal.ts';
import { collectJsonTables, unclearTables } from '../tables/json-tables.ts';
import { decodeText } from '../text/decode-text.ts';
import { DocumentWriter } from '../text/document-writer.ts';
import { type Json, recordsOf } from './json-records.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** The code of `{`, which is that of `[` with bit 32 set; the same holds for `}` and `]`. */
const OPENING = 0x7b;
const CLOSING = 0x7d;
/** Any decimal of so many digits is told from all others by a number of JavaScript. */
const EXACT_DIGITS_MAX = 15;
const NUMBER = /-?\d[\d.eE+-]*/y;

/**
 * Parses JSON. See `recordsOf` for what becomes a line.
 * @throws DocumentRefusal `corrupt`, `too-deep`, `too-large` or `empty`
 */
export function parseJson(bytes: Uint8Array, limits: ParseLimits): ParsedDocument {
  const text = decodeText(bytes);
  // Checked before parsing, because nesting costs the parser far more memory than its bytes suggest.
  checkDepth(text, limits.depthMax);
  const writer = new DocumentWriter(limits);
  const { value, unclear } = read(text);
  for (const record of recordsOf(value)) writer.add({ kind: 'row', text: record });
  collectJsonTables(value, unclear, writer.tables);
  return writer.finish('json');
}

interface ParsedJson {
  /** With texts in place of the numbers that would lose digits. */
  readonly kept: Json;
  readonly typed: Json;
}

/** The value as it is kept, and which of its tables have unclear numbers, which only the value with its types tells. */
function read(text: string): { readonly value: Json; readonly unclear: readonly boolean[] } {
  const { kept, typed } = parsedValue(text);
  return { value: kept, unclear: unclearTables(typed) };
}

function parsedValue(text: string): ParsedJson {
  try {
    return valueIn(text);
  } catch {
    return linesOf(text) ?? notJson();
  }
}

/** The values of JSON lines as an array; null when there is only one line, or a line is not JSON. */
function linesOf(text: string): ParsedJson | null {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (lines.length < 2) return null;
  try {
    const values = lines.map(valueIn);
    return { kept: values.map(({ kept }) => kept), typed: values.map(({ typed }) => typed) };
  } catch {
    return null;
  }
}

/** A reviver would get the source of each number, but takes a hundred times as long. */
function valueIn(text: string): ParsedJson {
  const typed: Json = JSON.parse(text);
  const kept = withDigits(text);
  return { typed, kept: kept === text ? typed : JSON.parse(kept) };
}

/** Makes texts of the numbers of valid JSON that would lose digits as numbers of JavaScript. */
function withDigits(text: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) === QUOTE) at = endOfString(text, at);
    NUMBER.lastIndex = at;
    const [source] = NUMBER.exec(text) ?? [];
    if (source === undefined) continue;
    const value = Number(source);
    const digits = digitsOf(value, source);
    if (digits !== String(value)) {
      pieces.push(`${text.slice(from, at)}"${digits}"`);
      from = at + source.length;
    }
    at += source.length - 1;
  }
  return pieces.join('') + text.slice(from);
}

/** Returns the position of the quotation mark that closes a string. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

/** A number as it is written, but without its exponent where that is the same number: tables count with those. */
function digitsOf(value: number, source: string): string {
  const [written = '', exponent] = source.split(/e/i);
  const isSame = Number.isFinite(value) && (value !== 0) === /[1-9]/.test(written);
  return exponent !== undefined && isSame && written.length <= EXACT_DIGITS_MAX ? String(value) : source;
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
