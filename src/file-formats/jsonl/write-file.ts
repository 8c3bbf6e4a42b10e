// Writes records or documents as JSON lines in the layout of imports. 32-bit floats have the fewest digits that read back as the
// same float.
import type { DocumentSchema } from '../../domain/document-schema.ts';
import { documentText } from '../../domain/records/document-text.ts';
import { float32ArrayText } from '../../domain/records/float32-text.ts';
import type { SparseVector, StorableRecord } from '../../domain/records/record.ts';
import type { RecordFileWriter, WriteBytes } from '../record-file-writer.ts';

const CHUNK_CHARS = 1024 * 1024;

export class JsonlRecordWriter implements RecordFileWriter {
  readonly #write: WriteBytes;
  readonly #lineOf: (record: StorableRecord) => string;
  #text = '';
  #written = 0;

  /** @param documents the schema of a document index; null on indexes of vectors */
  constructor(write: WriteBytes, documents: DocumentSchema | null = null) {
    this.#write = write;
    this.#lineOf =
      documents === null ? lineOf : (record: StorableRecord) => documentText(record, documents, null);
  }

  get bytes(): number {
    return this.#written + this.#text.length;
  }

  get isFull(): boolean {
    return false;
  }

  async add(record: StorableRecord): Promise<void> {
    this.#text += `${this.#lineOf(record)}\n`;
    if (this.#text.length >= CHUNK_CHARS) await this.#flush();
  }

  finish(): Promise<void> {
    return this.#flush();
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#text);
    this.#text = '';
    this.#written += bytes.byteLength;
    if (bytes.byteLength > 0) await this.#write(bytes);
  }
}

function lineOf({ id, values, sparse, metadataJson }: StorableRecord): string {
  const parts = [`"id":${JSON.stringify(id)}`];
  if (values !== null) parts.push(`"values":${float32ArrayText(values)}`);
  if (sparse !== null) parts.push(`"sparse_values":${sparseText(sparse)}`);
  if (metadataJson !== null) parts.push(`"metadata":${metadataJson}`);
  return `{${parts.join()}}`;
}

function sparseText({ indices, values }: SparseVector): string {
  return `{"indices":[${indices.join()}],"values":${float32ArrayText(values)}}`;
}
