// The interface of this room to use cases: the document parser, its results, and functions that need no parser.

export { CHUNKER_VERSION, type Chunk, embeddedText, type PageStart } from './chunks/chunk-model.ts';
export { DOCUMENT_EXTENSIONS, typeOfName } from './detect-type.ts';
export { type DocumentType, PARSER_VERSION } from './document-model.ts';
export type { ScanReader } from './ocr/tesseract.ts';
export {
  PICTURE_MIME_TYPE,
  PICTURES_A_FILE_MAX,
  PICTURES_VERSION,
  type Picture,
  type PictureText,
} from './pictures/picture-model.ts';
export type {
  ChunkedDocument,
  DocumentInput,
  DocumentParser,
  ParseOptions,
} from './processes/open-document-parser.ts';
export { DocumentRefusal, refusal } from './refusal.ts';
export type { RegionBatch } from './regions/pdf-regions.ts';
export type { DocumentTable } from './tables/table-model.ts';
export type { CountTokens } from './text/count-tokens.ts';
export { type Span, sentencesOf } from './text/sentences.ts';
