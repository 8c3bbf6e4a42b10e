// Parses the bytes of one file, whatever its type; runs in a process of its own (see processes/).
import { detectType } from './detect-type.ts';
import type { DocumentType, ParsedDocument } from './document-model.ts';
import type { ParseLimits } from './limits.ts';
import { refusal } from './refusal.ts';

type Parse = (bytes: Uint8Array, limits: ParseLimits) => ParsedDocument | Promise<ParsedDocument>;

/** Each loads what it stands on when the first file of its type comes: together they are some 100 ms. */
const PARSERS: Readonly<Record<DocumentType, () => Promise<Parse>>> = {
  pdf: async () => (await import('./formats/parse-pdf.ts')).parsePdf,
  docx: async () => (await import('./formats/parse-docx.ts')).parseDocx,
  markdown: async () => (await import('./formats/parse-markdown.ts')).parseMarkdown,
  text: async () => (await import('./formats/parse-text.ts')).parseText,
  json: async () => (await import('./formats/parse-json.ts')).parseJson,
  html: async () => (await import('./formats/parse-html.ts')).parseHtml,
  csv: async () => (await import('./formats/parse-csv.ts')).parseCsv,
};

export interface DocumentFile {
  readonly bytes: Uint8Array;
  /** The name it was uploaded under; its extension says what it is meant to be. */
  readonly name: string;
  /** What the sender calls it; asked only when the name has no extension. */
  readonly mimeType?: string;
}

/** @throws DocumentRefusal */
export async function parseDocument(file: DocumentFile, limits: ParseLimits): Promise<ParsedDocument> {
  const { bytes, name, mimeType } = file;
  if (bytes.length > limits.inputBytesMax) {
    throw refusal('too-large', { detail: `it has ${bytes.length} bytes of at most ${limits.inputBytesMax}` });
  }
  const parse = await PARSERS[detectType(bytes, name, mimeType)]();
  return parse(bytes, limits);
}
