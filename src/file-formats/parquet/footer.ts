// Reads the footer of a Parquet file: its schema and the offsets of its columns.
import { type FileMetaData, parquetMetadata } from 'hyparquet';
import { type FileBytes, FileProblem } from '../file-bytes.ts';

/** The length of the metadata, then "PAR1". */
const TAIL_BYTES = 8;
const MAGIC = 'PAR1';
/** 100,000 column chunks take about 10 MB. */
const FOOTER_BYTES_MAX = 32 * 1024 * 1024;

/** @throws FileProblem */
export async function readFooter(file: FileBytes): Promise<FileMetaData> {
  if (file.size < MAGIC.length + TAIL_BYTES) throw new FileProblem('it is too short to be a Parquet file');
  const tail = await file.read(file.size - TAIL_BYTES, file.size);
  if (Buffer.from(tail).toString('latin1', 4) !== MAGIC) {
    throw new FileProblem('it is not a Parquet file, or it is cut off: its last bytes are not PAR1');
  }
  const length = new DataView(tail.buffer, tail.byteOffset, 4).getUint32(0, true);
  if (length > FOOTER_BYTES_MAX) throw new FileProblem(`its footer has over ${FOOTER_BYTES_MAX} bytes`);
  const start = file.size - TAIL_BYTES - length;
  if (start < MAGIC.length) throw new FileProblem('its footer is longer than the file');
  // Copied, because the library keeps views, which must not retain more than the footer.
  const footer = Uint8Array.from(await file.read(start, file.size));
  return asProblem('its footer is damaged', () => parquetMetadata(footer, { geoparquet: false }));
}

/** Runs code that reads untrusted bytes; whatever it throws is a problem of the file. @throws FileProblem */
export function asProblem<Value>(what: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof FileProblem) throw error;
    throw new FileProblem(`${what}: ${error instanceof Error ? error.message : String(error)}`, error);
  }
}
