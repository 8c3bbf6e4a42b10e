// The file of related words: for each row of the word table, the forms of its word and the rows of similar meaning.

/** 'PNYR' */
const MAGIC = 0x52594e50;
const VERSION = 1;
const HEADER_WORDS = 8;
const HEADER_BYTES = HEADER_WORDS * 4;

/** Similar rows that the file has for each row. */
export const SIMILAR_ROWS = 8;
/** A stored similarity of 1; 0 marks an unused place. */
export const SIMILARITY_ONE = 255;

export interface RelatedShape {
  /** As many as the word table has. */
  readonly rows: number;
  /** Words of all rows together. */
  readonly words: number;
}

/** Contents of the file. */
export interface RelatedTables extends RelatedShape {
  /** Where the words of each row begin, and, last, their number. */
  readonly starts: Uint32Array;
  /** Hashes of the words of each row, as in the word table; the most common first. */
  readonly forms: Uint32Array;
  /** SIMILAR_ROWS for each row, the most similar first. */
  readonly similar: Uint16Array;
  /** Cosines with those rows, 1 .. SIMILARITY_ONE. */
  readonly similarities: Uint8Array;
}

export interface RelatedFile {
  readonly tables: RelatedTables;
  /** Everything after the header. */
  readonly body: Uint8Array;
  /** CRC-32 of the body, as stored in the header. */
  readonly checksum: number;
}

/** Makes an empty file of this shape with its header, and views of it. */
export function emptyRelated(shape: RelatedShape): {
  readonly bytes: ArrayBuffer;
  readonly tables: RelatedTables;
} {
  const bytes = new ArrayBuffer(HEADER_BYTES + bodyBytes(shape));
  new Uint32Array(bytes, 0, HEADER_WORDS).set([MAGIC, VERSION, shape.rows, shape.words, SIMILAR_ROWS]);
  return { bytes, tables: views(bytes, shape) };
}

/** Parses a file. The caller verifies the checksum. @throws Error when the bytes are not such a file */
export function relatedFrom(bytes: ArrayBuffer): RelatedFile {
  if (bytes.byteLength < HEADER_BYTES) throw new Error('the file of related words is truncated');
  const [magic, version, rows = 0, words = 0, each, checksum = 0] = new Uint32Array(bytes, 0, HEADER_WORDS);
  if (magic !== MAGIC || version !== VERSION || each !== SIMILAR_ROWS)
    throw new Error('the file of related words has an unknown format');
  if (bytes.byteLength !== HEADER_BYTES + bodyBytes({ rows, words }))
    throw new Error('the file of related words is truncated');
  return { tables: views(bytes, { rows, words }), body: new Uint8Array(bytes, HEADER_BYTES), checksum };
}

function bodyBytes({ rows, words }: RelatedShape): number {
  return (rows + 1 + words) * 4 + rows * SIMILAR_ROWS * 3;
}

function views(bytes: ArrayBuffer, { rows, words }: RelatedShape): RelatedTables {
  const forms = HEADER_BYTES + (rows + 1) * 4;
  const similar = forms + words * 4;
  const similarities = similar + rows * SIMILAR_ROWS * 2;
  return {
    rows,
    words,
    starts: new Uint32Array(bytes, HEADER_BYTES, rows + 1),
    forms: new Uint32Array(bytes, forms, words),
    similar: new Uint16Array(bytes, similar, rows * SIMILAR_ROWS),
    similarities: new Uint8Array(bytes, similarities, rows * SIMILAR_ROWS),
  };
}
