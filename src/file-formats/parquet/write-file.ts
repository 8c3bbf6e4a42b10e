// Writes records to a Parquet file in the layout of imports, one row group at a time.
import type { SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { SparseVector, StorableRecord } from '../../domain/records/record.ts';
import type { RecordFileWriter, WriteBytes } from '../record-file-writer.ts';
import { ColumnWriter } from './column-writer.ts';

const GROUP_BYTES = 32 * 1024 * 1024;
const REQUIRED_DEFINITION = 0;
const OPTIONAL_DEFINITION = 1;
/** A list adds three definition levels: itself, its repetition and its elements, each of which may be absent. */
const LIST_DEFINITIONS = 3;
const FLOATS = { type: 'FLOAT', codec: 'UNCOMPRESSED' } as const;
const INTEGERS = { type: 'INT64', codec: 'ZSTD' } as const;

function list(name: string, type: 'FLOAT' | 'INT64'): SchemaElement[] {
  return [
    {
      name,
      repetition_type: 'OPTIONAL',
      num_children: 1,
      converted_type: 'LIST',
      logical_type: { type: 'LIST' },
    },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'OPTIONAL', type },
  ];
}

function text(name: string, repetition_type: 'REQUIRED' | 'OPTIONAL'): SchemaElement {
  return {
    name,
    repetition_type,
    type: 'BYTE_ARRAY',
    converted_type: 'UTF8',
    logical_type: { type: 'STRING' },
  };
}

const SCHEMA: SchemaElement[] = [
  { name: 'schema', num_children: 4 },
  text('id', 'REQUIRED'),
  ...list('values', 'FLOAT'),
  { name: 'sparse_values', repetition_type: 'OPTIONAL', num_children: 2 },
  ...list('indices', 'INT64'),
  ...list('values', 'FLOAT'),
  text('metadata', 'OPTIONAL'),
];

export class ParquetRecordWriter implements RecordFileWriter {
  readonly #write: WriteBytes;
  readonly #groupBytes: number;
  readonly #bytes = new ByteWriter();
  readonly #file = new ParquetWriter({ writer: this.#bytes, schema: SCHEMA, createdBy: 'pinyon' });
  readonly #id = textColumn(['id'], REQUIRED_DEFINITION);
  readonly #values = listColumn(['values'], FLOATS);
  readonly #indices = listColumn(['sparse_values', 'indices'], INTEGERS);
  readonly #weights = listColumn(['sparse_values', 'values'], FLOATS);
  readonly #metadata = textColumn(['metadata'], OPTIONAL_DEFINITION);
  readonly #columns = [this.#id, this.#values, this.#indices, this.#weights, this.#metadata];
  #groupRows = 0;
  #offset = 0;

  /** @param groupBytes bytes of records in memory that become a row group */
  constructor(write: WriteBytes, groupBytes = GROUP_BYTES) {
    this.#write = write;
    this.#groupBytes = groupBytes;
  }

  get bytes(): number {
    return this.#offset + this.#columns.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  async add(record: StorableRecord): Promise<void> {
    const { id, values, sparse, metadataJson } = record;
    this.#id.addRow(byteArray(id), 1);
    if (values === null) this.#values.addAbsent(0);
    else this.#values.addRow(bytesOf(values), values.length);
    this.#addSparse(sparse);
    if (metadataJson === null) this.#metadata.addAbsent(0);
    else this.#metadata.addRow(byteArray(metadataJson), 1);
    this.#groupRows++;
    const held = this.#columns.reduce((sum, { bytes }) => sum + bytes, 0);
    if (held >= this.#groupBytes) await this.#endGroup();
  }

  async finish(): Promise<void> {
    await this.#endGroup();
    await this.#file.finish();
    await this.#flush();
  }

  #addSparse(sparse: SparseVector | null): void {
    if (sparse === null) {
      this.#indices.addAbsent(0);
      this.#weights.addAbsent(0);
      return;
    }
    const wide = BigInt64Array.from(sparse.indices, BigInt);
    this.#indices.addRow(new Uint8Array(wide.buffer), wide.length);
    this.#weights.addRow(bytesOf(sparse.values), sparse.values.length);
  }

  async #endGroup(): Promise<void> {
    // The magic bytes that the writer's constructor added.
    await this.#flush();
    if (this.#groupRows === 0) return;
    const start = this.#offset;
    const columns = [];
    let unpacked = 0n;
    for (const column of this.#columns) {
      const { parts, chunk } = column.finish(this.#offset);
      for (const part of parts) await this.#put(part);
      unpacked += chunk.meta_data?.total_uncompressed_size ?? 0n;
      columns.push(chunk);
    }
    const num_rows = BigInt(this.#groupRows);
    const total_compressed_size = BigInt(this.#offset - start);
    this.#file.row_groups.push({ columns, num_rows, total_byte_size: unpacked, total_compressed_size });
    this.#file.num_rows += num_rows;
    this.#groupRows = 0;
  }

  async #flush(): Promise<void> {
    const bytes = this.#bytes.getBytes().slice();
    this.#bytes.index = 0;
    if (bytes.byteLength > 0) await this.#put(bytes);
  }

  async #put(bytes: Uint8Array): Promise<void> {
    this.#offset += bytes.byteLength;
    await this.#write(bytes);
  }
}

function textColumn(path: readonly string[], definitionMax: number): ColumnWriter {
  return new ColumnWriter({ path, type: 'BYTE_ARRAY', codec: 'ZSTD', definitionMax, isList: false });
}

/** @param path the path of the list; each ancestor is a struct that may be absent */
function listColumn(path: readonly string[], kind: typeof FLOATS | typeof INTEGERS): ColumnWriter {
  const definitionMax = path.length - 1 + LIST_DEFINITIONS;
  return new ColumnWriter({ path: [...path, 'list', 'element'], ...kind, definitionMax, isList: true });
}

/** The length, then the text. */
function byteArray(value: string): Uint8Array {
  const length = Buffer.byteLength(value);
  const bytes = Buffer.allocUnsafe(4 + length);
  bytes.writeUInt32LE(length, 0);
  bytes.write(value, 4);
  return bytes;
}

/** Little-endian as in the file, like every supported machine. */
function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
