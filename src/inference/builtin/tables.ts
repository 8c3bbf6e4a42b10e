// The trained tables: frequencies of English words, word vectors, and related words. Each is read once, at the first use.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { type RelatedTables, relatedFrom } from './related-format.ts';
import { type Tables, tablesFrom } from './table-format.ts';

const WORDS = new URL('tables/english.bin', import.meta.url);
const RELATED = new URL('tables/related.bin', import.meta.url);

let words: Tables | undefined;
let related: RelatedTables | undefined;

/** @throws Error when the file is missing, damaged or of another version */
export function tables(): Tables {
  words ??= load(WORDS, tablesFrom);
  return words;
}

/** @throws Error when the file is missing, damaged or of another version */
export function relatedTables(): RelatedTables {
  related ??= load(RELATED, relatedFrom);
  return related;
}

interface Parsed<Contents> {
  readonly tables: Contents;
  readonly body: Uint8Array;
  readonly checksum: number;
}

function load<Contents>(file: URL, parse: (bytes: ArrayBuffer) => Parsed<Contents>): Contents {
  const { tables, body, checksum } = parse(readWhole(file));
  const sum = crc32(body);
  if (sum !== checksum)
    throw new Error(`${file.pathname} is damaged: checksum ${checksum} expected, got ${sum}`);
  return tables;
}

/** Reads into separate memory, so that the numbers are aligned. */
function readWhole(file: URL): ArrayBuffer {
  const handle = openSync(file, 'r');
  try {
    const bytes = new ArrayBuffer(fstatSync(handle).size);
    const read = readSync(handle, new Uint8Array(bytes));
    if (read !== bytes.byteLength) throw new Error(`${file.pathname} could not be read to its end`);
    return bytes;
  } finally {
    closeSync(handle);
  }
}
