// Parses the bytes of one file, whatever its type; runs in a process of its own (see processes/).
import { detectType } from './detect-type.ts';
import type { DocumentType, ParsedDocument } from './document-model.ts';
import type { ParseLimits } from './limits.ts';
import type { PictureBatch, PictureText } from './pictures/picture-model.ts';
import { refusal } from './refusal.ts';

type Parse = (
  bytes: Uint8Array,
  limits: ParseLimits,
  pictures: readonly PictureText[],
) => ParsedDocument | Promise<ParsedDocument>;

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

/**
 * @param pictures what the pictures of a PDF file show, by page: read with the text of these
 * @throws DocumentRefusal
 */
export async function parseDocument(
  file: DocumentFile,
  limits: ParseLimits,
  pictures: readonly PictureText[] = [],
): Promise<ParsedDocument> {
  const parse = await PARSERS[typeOf(file, limits)]();
  return parse(file.bytes, limits, pictures);
}

/** The pictures of a file from a page on; files of other types than PDF have none. @throws DocumentRefusal */
export async function picturesOf(
  file: DocumentFile,
  limits: ParseLimits,
  fromPage: number,
): Promise<PictureBatch> {
  if (typeOf(file, limits) !== 'pdf') return { pictures: [], nextPage: null };
  const { pdfPictures } = await import('./pictures/pdf-pictures.ts');
  return pdfPictures(file.bytes, limits, { fromPage });
}

function typeOf({ bytes, name, mimeType }: DocumentFile, { inputBytesMax }: ParseLimits): DocumentType {
  if (bytes.length > inputBytesMax) {
    throw refusal('too-large', { detail: `it has ${bytes.length} bytes of at most ${inputBytesMax}` });
  }
  return detectType(bytes, name, mimeType);
}
