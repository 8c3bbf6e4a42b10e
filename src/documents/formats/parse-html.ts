// Parses HTML files: the text that a reader of the page sees, with its headings, lists, tables and code.
import type { ParsedDocument } from '../document-model.ts';
import type { ParseLimits } from '../limits.ts';
import { decodeText } from '../text/decode-text.ts';
import { DocumentWriter } from '../text/document-writer.ts';
import { writeHtml } from './html-blocks.ts';

/** Browsers look for the declared encoding in these first bytes. */
const DECLARATION_BYTES_MAX = 1024;
const DECLARATION = /<meta[^>]{0,200}?charset\s*=\s*["']?([\w.:-]{1,40})/i;

export function parseHtml(bytes: Uint8Array, limits: ParseLimits): ParsedDocument {
  const writer = new DocumentWriter(limits);
  const { elementDepthMax } = limits;
  writeHtml(decodeText(bytes, declaredEncoding(bytes)), writer, { elementDepthMax });
  return writer.finish('html');
}

function declaredEncoding(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('windows-1252').decode(bytes.subarray(0, DECLARATION_BYTES_MAX));
  return DECLARATION.exec(head)?.[1];
}
