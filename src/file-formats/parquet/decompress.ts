// Decompresses pages, never to more than their header says: that size is bounded before anything is unpacked.
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { CompressionCodec, Compressors } from 'hyparquet';
import { FileProblem } from '../file-bytes.ts';

type Unpack = (packed: Uint8Array, bytes: number) => Uint8Array;

/** Node's own are native and stop at a bound; the others come with the Parquet library, loaded when a file needs them. */
const NATIVE: Partial<Record<CompressionCodec, Unpack>> = {
  UNCOMPRESSED: (packed) => packed,
  GZIP: (packed, bytes) => gunzipSync(packed, { maxOutputLength: bytes }),
  BROTLI: (packed, bytes) => brotliDecompressSync(packed, { maxOutputLength: bytes }),
  ZSTD: (packed, bytes) => zstdDecompressSync(packed, { maxOutputLength: bytes }),
};

let library: Compressors | undefined;

/** Makes the codec ready. @throws FileProblem for one that is not known */
export async function unpackerFor(codec: CompressionCodec): Promise<Unpack> {
  const native = NATIVE[codec];
  if (native !== undefined) return native;
  library ??= (await import('hyparquet-compressors')).compressors;
  const unpack = library[codec];
  if (unpack === undefined)
    throw new FileProblem(`pages are compressed with ${codec}, which is not supported`);
  return unpack;
}

/** Unpacks a page that must have exactly `bytes` bytes then. @throws FileProblem */
export function unpackPage(unpack: Unpack, packed: Uint8Array, bytes: number): Uint8Array {
  if (bytes === 0) return new Uint8Array(0);
  let page: Uint8Array;
  try {
    page = unpack(packed, bytes);
  } catch (error) {
    throw new FileProblem('a page cannot be decompressed', error);
  }
  if (page.byteLength !== bytes) {
    throw new FileProblem(`a page has ${page.byteLength} bytes unpacked, not the ${bytes} it names`);
  }
  return page;
}
