// What every parser makes of a file: one text, and blocks that say what its parts are.

export const DOCUMENT_TYPES = ['pdf', 'docx', 'markdown', 'text', 'json', 'html', 'csv'] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

/** Goes up when the same file would give other text or blocks than before, so that files can be processed anew. */
export const PARSER_VERSION = 2;

/** `row`: one record of a CSV file or one value of a JSON file. */
export type BlockKind = 'heading' | 'paragraph' | 'list' | 'table' | 'code' | 'row';

/** A part of a document's text: `text.slice(start, end)`, never empty, in order, never overlapping. */
export interface Block {
  readonly kind: BlockKind;
  /** 1 to 6, of headings only. */
  readonly level?: number;
  /** Offsets into the document's text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** From 1: the page on which the block begins, of PDF files and of DOCX files that say where pages end. */
  readonly page?: number;
  /** The page on which the block ends, when it is another. */
  readonly lastPage?: number;
}

export interface ParsedDocument {
  readonly type: DocumentType;
  /** All blocks, separated by one or two line ends: well-formed, NFC, no control characters but tab and line end. */
  readonly text: string;
  readonly blocks: readonly Block[];
  /** Known for PDF files, and for DOCX files that say where pages end. */
  readonly pageCount?: number;
}

/** The text of a block. */
export function blockText(document: ParsedDocument, block: Block): string {
  return document.text.slice(block.start, block.end);
}
