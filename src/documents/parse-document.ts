// Parses the bytes of one file of any supported type; runs in a parser process (see processes/).
import type { PlacedPassage } from '../domain/assistants/passages.ts';
import { detectType } from './detect-type.ts';
import type { DocumentType, ParsedDocument } from './document-model.ts';
import type { ParseLimits } from './limits.ts';
import { type PictureBatch, type PictureText, SCAN_SIDE_PIXELS_MAX } from './pictures/picture-model.ts';
import { refusal } from './refusal.ts';
import type { RegionBatch } from './regions/pdf-regions.ts';

type Parse = (
  bytes: Uint8Array,
  limits: ParseLimits,
  pictures: readonly PictureText[],
) => ParsedDocument | Promise<ParsedDocument>;

/** Each parser is loaded with the first file of its type; loading all of them takes about 100 ms. */
const PARSERS: Readonly<Record<DocumentType, () => Promise<Parse>>> = {
  pdf: async () => (await import('./formats/pdf/parse-pdf.ts')).parsePdf,
  docx: async () => (await import('./formats/parse-docx.ts')).parseDocx,
  pptx: async () => (await import('./formats/office/parse-pptx.ts')).parsePptx,
  xlsx: async () => (await import('./formats/office/parse-xlsx.ts')).parseXlsx,
  odt: async () => (await import('./formats/office/parse-odt.ts')).parseOdt,
  epub: async () => (await import('./formats/books/parse-epub.ts')).parseEpub,
  rtf: async () => (await import('./formats/rtf/parse-rtf.ts')).parseRtf,
  eml: async () => (await import('./formats/mail/parse-eml.ts')).parseEml,
  markdown: async () => (await import('./formats/parse-markdown.ts')).parseMarkdown,
  text: async () => (await import('./formats/parse-text.ts')).parseText,
  json: async () => (await import('./formats/parse-json.ts')).parseJson,
  html: async () => (await import('./formats/parse-html.ts')).parseHtml,
  csv: async () => (await import('./formats/parse-csv.ts')).parseCsv,
};

export interface DocumentFile {
  readonly bytes: Uint8Array;
  /** The name it was uploaded under; its extension declares the type. */
  readonly name: string;
  /** As the sender declares it; consulted only when the name has no extension. */
  readonly mimeType?: string;
}

/**
 * Parses a file.
 * @param pictures descriptions of the pictures of a PDF file, in page order; each is added to the text of its page
 * @param isPlain reads Markdown as plain text
 * @throws DocumentRefusal
 */
export async function parseDocument(
  file: DocumentFile,
  limits: ParseLimits,
  {
    pictures = [],
    isPlain = false,
  }: { readonly pictures?: readonly PictureText[]; readonly isPlain?: boolean } = {},
): Promise<ParsedDocument> {
  const type = typeOf(file, limits);
  const parse = await PARSERS[isPlain && type === 'markdown' ? 'text' : type]();
  return parse(file.bytes, limits, pictures);
}

export interface PictureWork {
  readonly fromPage: number;
  /** Set for pages to be read: these alone, or all. */
  readonly scans?: { readonly pages: readonly number[] | undefined } | undefined;
}

/**
 * Extracts the pictures of a file from page `fromPage` on. Only PDF files have any.
 * @throws DocumentRefusal
 */
export async function picturesOf(
  file: DocumentFile,
  limits: ParseLimits,
  { fromPage, scans }: PictureWork,
): Promise<PictureBatch> {
  if (typeOf(file, limits) !== 'pdf') return { pictures: [], nextPage: null };
  const { pdfPictures } = await import('./pictures/pdf-pictures.ts');
  return pdfPictures(file.bytes, limits, {
    fromPage,
    ...(scans !== undefined && { pages: scans.pages, sidePixelsMax: SCAN_SIDE_PIXELS_MAX }),
  });
}

/**
 * Finds what passages cover on their pages. Only PDF files have regions.
 * @throws DocumentRefusal
 */
export async function regionsOf(
  file: DocumentFile,
  limits: ParseLimits,
  passages: readonly PlacedPassage[],
): Promise<RegionBatch> {
  if (typeOf(file, limits) !== 'pdf') return { regions: passages.map(() => []), layouts: [] };
  const { pdfRegions } = await import('./regions/pdf-regions.ts');
  return pdfRegions(file.bytes, limits, passages);
}

function typeOf({ bytes, name, mimeType }: DocumentFile, { inputBytesMax }: ParseLimits): DocumentType {
  if (bytes.length > inputBytesMax) {
    throw refusal('too-large', { detail: `it has ${bytes.length} bytes of at most ${inputBytesMax}` });
  }
  return detectType(bytes, name, mimeType);
}
