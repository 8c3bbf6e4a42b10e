// The model of a parsed document: one text, and blocks that describe its parts.

import type { DocumentTable } from './tables/table-model.ts';

export const DOCUMENT_TYPES = [
  'pdf',
  'docx',
  'pptx',
  'xlsx',
  'odt',
  'epub',
  'rtf',
  'eml',
  'markdown',
  'text',
  'json',
  'html',
  'csv',
] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

/** Incremented whenever the same file would give different text, blocks or tables, so that files can be processed again. */
export const PARSER_VERSION = 6;

/** `row`: one record of a CSV or JSON file or of a sheet. */
export type BlockKind = 'heading' | 'paragraph' | 'list' | 'table' | 'code' | 'row';

/** A part of a document's text: `text.slice(start, end)`. Blocks are not empty, in order, and do not overlap. */
export interface Block {
  readonly kind: BlockKind;
  /** 1 to 6; headings only. */
  readonly level?: number;
  /** Offsets into the document's text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** The page on which the block begins, from 1: a page of PDF, a slide of PPTX. DOCX, ODT and RTF files may store page breaks. */
  readonly page?: number;
  /** The page on which the block ends, if different. */
  readonly lastPage?: number;
}

export interface ParsedDocument {
  readonly type: DocumentType;
  /** All blocks, separated by one or two line ends. Well-formed NFC, with no control characters but tab and LF. */
  readonly text: string;
  readonly blocks: readonly Block[];
  /** Known for PDF and PPTX, and for DOCX, ODT and RTF files that store page breaks. */
  readonly pageCount?: number;
  /** Pages of a PDF file without a text layer, from 1; absent where there are none. */
  readonly textless?: readonly number[];
  /** Tables whose rows are known; absent where there are none. */
  readonly tables?: readonly DocumentTable[];
}

/** Returns the text of a block. */
export function blockText(document: ParsedDocument, block: Block): string {
  return document.text.slice(block.start, block.end);
}
