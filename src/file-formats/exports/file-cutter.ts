// Splits batches of records into files of one format: a folder per namespace, a new file when one is large enough.
import { createHash, type Hash } from 'node:crypto';
import { unpackRecords } from '../../engine/port/packed-records.ts';
import { JsonlRecordWriter } from '../jsonl/write-file.ts';
import { ParquetRecordWriter } from '../parquet/write-file.ts';
import type { RecordFileWriter, WriteBytes } from '../record-file-writer.ts';
import type { ExportBatch, Output, WriterStart } from './messages.ts';

const NUMBER_DIGITS = 5;

interface OpenFile {
  readonly path: string;
  readonly writer: RecordFileWriter;
  readonly hash: Hash;
  bytes: number;
  records: number;
}

export class FileCutter {
  readonly #start: WriterStart;
  #outputs: Output[] = [];
  #file: OpenFile | null = null;
  /** Files of the namespace so far. */
  #number = 0;

  constructor(start: WriterStart) {
    this.#start = start;
  }

  /** Returns what the batch adds to files. A namespace without records gets no file. */
  async add({ folder, records, isLast }: ExportBatch): Promise<readonly Output[]> {
    this.#outputs = [];
    for (const record of records.count === 0 ? [] : unpackRecords(records)) {
      const file = this.#file ?? this.#open(folder);
      await file.writer.add(record);
      file.records++;
      if (file.writer.isFull || file.writer.bytes >= this.#start.fileBytes) await this.#close(file);
    }
    if (isLast) {
      if (this.#file !== null) await this.#close(this.#file);
      this.#number = 0;
    }
    return this.#outputs;
  }

  #open(folder: string): OpenFile {
    const { format, documents } = this.#start;
    const path = `${folder}/part-${String(this.#number++).padStart(NUMBER_DIGITS, '0')}.${format}`;
    const hash = createHash('sha256');
    const write: WriteBytes = async (bytes) => {
      hash.update(bytes);
      file.bytes += bytes.byteLength;
      // Copied, because writers pass on parts of larger buffers.
      this.#outputs.push({ type: 'bytes', bytes: Uint8Array.from(bytes) });
    };
    const writer =
      format === 'parquet'
        ? new ParquetRecordWriter(write, { documents })
        : new JsonlRecordWriter(write, documents);
    const file: OpenFile = { path, writer, hash, bytes: 0, records: 0 };
    this.#file = file;
    this.#outputs.push({ type: 'open', path });
    return file;
  }

  async #close(file: OpenFile): Promise<void> {
    // Adds bytes.
    await file.writer.finish();
    const { path, bytes, records } = file;
    this.#outputs.push({ type: 'close', file: { path, bytes, sha256: file.hash.digest('hex'), records } });
    this.#file = null;
  }
}
