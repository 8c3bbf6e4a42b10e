// Decompresses pages to no more than their header says; that size is bounded beforehand.
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { CompressionCodec, Compressors } from 'hyparquet';
import { FileProblem } from '../file-bytes.ts';

type Unpack = (packed: Uint8Array, bytes: number) => Uint8Array;

/** Node's codecs are native and stop at a bound. The others belong to the Parquet library and are loaded on demand. */
const NATIVE: Partial<Record<CompressionCodec, Unpack>> = {
  UNCOMPRESSED: (packed) => packed,
  GZIP: (packed, bytes) => gunzipSync(packed, { maxOutputLength: bytes }),
  BROTLI: (packed, bytes) => brotliDecompressSync(packed, { maxOutputLength: bytes }),
  ZSTD: (packed, bytes) => zstdDecompressSync(packed, { maxOutputLength: bytes }),
};

let library: Compressors | undefined;

/** Loads the codec. @throws FileProblem if it is unknown */
export async function unpackerFor(codec: CompressionCodec): Promise<Unpack> {
  const native = NATIVE[codec];
  if (native !== undefined) return native;
  library ??= (await import('hyparquet-compressors')).compressors;
  const unpack = library[codec];
  if (unpack === undefined)
    throw new FileProblem(`pages are compressed with ${codec}, which is not supported`);
  return unpack;
}

/** Decompresses a page to exactly `bytes` bytes. @throws FileProblem */
export function unpackPage(unpack: Unpack, packed: Uint8Array, bytes: number): Uint8Array {
  if (bytes === 0) return new Uint8Array(0);
  let page: Uint8Array;
  try {
    page = unpack(packed, bytes);
  } catch (error) {
    throw new FileProblem('a page cannot be decompressed', error);
  }
  if (page.byteLength !== bytes) {
    throw new FileProblem(`a page has ${page.byteLength} bytes unpacked; its header says ${bytes}`);
  }
  return page;
}
