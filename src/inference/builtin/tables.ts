// The trained tables: frequencies of English words, and word vectors. Read once, at the first use.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { type Tables, tablesFrom } from './table-format.ts';

const FILE = new URL('tables/english.bin', import.meta.url);

let loaded: Tables | undefined;

/** @throws Error when the file is missing, damaged or of another version */
export function tables(): Tables {
  loaded ??= load();
  return loaded;
}

function load(): Tables {
  const { tables, body, checksum } = tablesFrom(readWhole(FILE));
  const sum = crc32(body);
  if (sum !== checksum)
    throw new Error(`${FILE.pathname} is damaged: checksum ${checksum} expected, got ${sum}`);
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
