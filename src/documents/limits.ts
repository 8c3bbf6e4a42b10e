// The bounds on what a parser reads, keeps and returns for one file.

const MEBIBYTE = 2 ** 20;

export interface ParseLimits {
  /** Bytes of the file as uploaded. */
  readonly inputBytesMax: number;
  readonly pagesMax: number;
  /** Bytes of all parts of a packed file that are read, unpacked. */
  readonly unpackedBytesMax: number;
  /** Unpacked bytes for each packed byte, of parts over RATIO_CHECKED_BYTES. */
  readonly unpackRatioMax: number;
  /** Levels of nesting in JSON and Markdown. */
  readonly depthMax: number;
  /** Levels of elements in HTML; pages that never close their inline elements are common. */
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
  charactersMax: 16 * MEBIBYTE,
  blocksMax: 500_000,
};

/** Small parts full of repetition pack well without being an attack. */
export const RATIO_CHECKED_BYTES = MEBIBYTE;
