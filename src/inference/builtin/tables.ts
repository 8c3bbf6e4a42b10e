// The trained tables: how common English words are, and word vectors. Read once, when first needed.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { type Tables, tablesFrom } from './table-format.ts';

const FILE = new URL('tables/english.bin', import.meta.url);

let loaded: Tables | undefined;

/** @throws Error when the file is missing, of another version or damaged */
export function tables(): Tables {
  loaded ??= load();
  return loaded;
}

function load(): Tables {
  const { tables, body, checksum } = tablesFrom(readWhole(FILE));
  const sum = crc32(body);
  if (sum !== checksum)
    throw new Error(`${FILE.pathname} is damaged: its checksum is ${sum}, not ${checksum}`);
  return tables;
}

/** Into memory of its own, so that numbers in it are aligned. */
function readWhole(file: URL): ArrayBuffer {
  const handle = openSync(file, 'r');
  try {
    const bytes = new ArrayBuffer(fstatSync(handle).size);
    const read = readSync(handle, new Uint8Array(bytes));
    if (read !== bytes.byteLength) throw new Error(`${file.pathname} cannot be read whole`);
    return bytes;
  } finally {
    closeSync(handle);
  }
}
