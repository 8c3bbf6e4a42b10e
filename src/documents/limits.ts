// Limits on what a parser reads, allocates and returns for one file.
import type { MemoryPart } from '../platform/machine-memory.ts';

const MEBIBYTE = 2 ** 20;

export interface ParseLimits {
  /** Bytes of the uploaded file. */
  readonly inputBytesMax: number;
  readonly pagesMax: number;
  /** Uncompressed bytes of all parts that are read from an archive. */
  readonly unpackedBytesMax: number;
  /** Uncompressed bytes for each compressed byte, for parts over RATIO_CHECKED_BYTES. */
  readonly unpackRatioMax: number;
  /** Levels of nesting in JSON and Markdown. */
  readonly depthMax: number;
  /** Nesting of HTML elements. Higher, because many pages never close their inline elements. */
  readonly elementDepthMax: number;
  /** UTF-16 units of the document's text. */
  readonly charactersMax: number;
  readonly blocksMax: number;
}

export const PARSE_LIMITS: ParseLimits = {
  inputBytesMax: 100 * MEBIBYTE,
  pagesMax: 10_000,
  unpackedBytesMax: 64 * MEBIBYTE,
  unpackRatioMax: 200,
  depthMax: 200,
  elementDepthMax: 1_000,
  charactersMax: 48 * MEBIBYTE,
  blocksMax: 5_000_000,
};

/**
 * Processor time for a Markdown file and for each MiB of it. Its inline marks can take time that grows with the square
 * of their number; a file that needs more is read as plain text.
 */
export const MARKDOWN_MS_MAX = 5_000;
export const MARKDOWN_MS_A_MEBIBYTE = 2_000;

/** Small, repetitive parts compress well without being an attack. */
export const RATIO_CHECKED_BYTES = MEBIBYTE;

/** Memory of a parser process. Files of 10 MB need less, whatever their type; see docs/decisions/028-documents.md. */
export const PARSER_MEBIBYTES_MAX = 768;
/** On machines with little memory. */
export const PARSER_MEMORY: MemoryPart = {
  share: 0.4,
  mebibytesMin: 256,
  mebibytesMax: PARSER_MEBIBYTES_MAX,
};
