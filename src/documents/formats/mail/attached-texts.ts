// Tells which attachments of messages are texts, and how to read them.
import { extname } from 'node:path';
import type { ParsedDocument } from '../../document-model.ts';
import type { ParseLimits } from '../../limits.ts';
import { parseCsv } from '../parse-csv.ts';
import { parseHtml } from '../parse-html.ts';
import { parseJson } from '../parse-json.ts';
import { parseMarkdown } from '../parse-markdown.ts';
import { parseText } from '../parse-text.ts';

type ParseAttached = (bytes: Uint8Array, limits: ParseLimits) => ParsedDocument;

const BY_EXTENSION: Readonly<Record<string, ParseAttached>> = {
  '.txt': parseText,
  '.text': parseText,
  '.md': parseMarkdown,
  '.markdown': parseMarkdown,
  '.csv': parseCsv,
  '.json': parseJson,
  '.html': parseHtml,
  '.htm': parseHtml,
};
const BY_TYPE: Readonly<Record<string, ParseAttached>> = {
  'text/plain': parseText,
  'text/markdown': parseMarkdown,
  'text/csv': parseCsv,
  'application/json': parseJson,
  'text/html': parseHtml,
};

/** By the extension of its name, else by its media type; undefined for other attachments. */
export function attachedParser(name: string, mimeType: string): ParseAttached | undefined {
  return BY_EXTENSION[extname(name).toLowerCase()] ?? (extname(name) === '' ? BY_TYPE[mimeType] : undefined);
}
