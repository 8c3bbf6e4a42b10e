// Writes records or documents to a Parquet file in the layout of imports, one row group at a time.
import type { SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { DocumentSchema } from '../../domain/document-schema.ts';
import { allNames, type ColumnNames, columnNames } from '../../domain/imports/column-names.ts';
import { parseMetadata } from '../../domain/records/metadata.ts';
import type { SparseVector, StorableRecord } from '../../domain/records/record.ts';
import type { RecordFileWriter, WriteBytes } from '../record-file-writer.ts';
import { ColumnWriter } from './column-writer.ts';
import { unpackedBytesMax } from './unpacked-bound.ts';

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

/** The columns in the order of `allNames`. */
function schemaOf(names: ColumnNames): SchemaElement[] {
  const { id, values, sparse, texts, metadata } = names;
  return [
    { name: 'schema', num_children: allNames(names).length },
    text(id, 'REQUIRED'),
    ...(values === null ? [] : list(values, 'FLOAT')),
    ...(sparse === null ? [] : sparseStruct(sparse)),
    ...texts.map((name) => text(name, 'OPTIONAL')),
    text(metadata, 'OPTIONAL'),
  ];
}

function sparseStruct(name: string): SchemaElement[] {
  return [
    { name, repetition_type: 'OPTIONAL', num_children: 2 },
    ...list('indices', 'INT64'),
    ...list('values', 'FLOAT'),
  ];
}

export class ParquetRecordWriter implements RecordFileWriter {
  readonly #write: WriteBytes;
  readonly #groupBytes: number;
  readonly #bytes = new ByteWriter();
  readonly #file: ParquetWriter;
  readonly #id: ColumnWriter;
  readonly #values: ColumnWriter | null;
  readonly #sparse: { readonly indices: ColumnWriter; readonly weights: ColumnWriter } | null;
  readonly #texts: ReadonlyMap<string, ColumnWriter>;
  readonly #metadata: ColumnWriter;
  readonly #columns: readonly ColumnWriter[];
  #groupRows = 0;
  #offset = 0;
  /** Bytes of ended row groups before compression. */
  #unpacked = 0;

  /**
   * @param documents the schema of a document index; by default records have vectors and metadata
   * @param groupBytes bytes of records in memory that become a row group
   */
  constructor(
    write: WriteBytes,
    {
      documents = null,
      groupBytes = GROUP_BYTES,
    }: { readonly documents?: DocumentSchema | null; readonly groupBytes?: number } = {},
  ) {
    this.#write = write;
    this.#groupBytes = groupBytes;
    const names = columnNames({ documents });
    const { values, sparse } = names;
    this.#file = new ParquetWriter({ writer: this.#bytes, schema: schemaOf(names), createdBy: 'pinyon' });
    this.#id = textColumn([names.id], REQUIRED_DEFINITION);
    this.#values = values === null ? null : listColumn([values], FLOATS);
    this.#sparse =
      sparse === null
        ? null
        : {
            indices: listColumn([sparse, 'indices'], INTEGERS),
            weights: listColumn([sparse, 'values'], FLOATS),
          };
    this.#texts = new Map(names.texts.map((name) => [name, textColumn([name], OPTIONAL_DEFINITION)]));
    this.#metadata = textColumn([names.metadata], OPTIONAL_DEFINITION);
    const { indices = null, weights = null } = this.#sparse ?? {};
    const vectors = [this.#values, indices, weights].filter((column) => column !== null);
    this.#columns = [this.#id, ...vectors, ...this.#texts.values(), this.#metadata];
  }

  get bytes(): number {
    return this.#offset + this.#heldBytes;
  }

  get isFull(): boolean {
    return this.#unpacked + this.#heldBytes >= unpackedBytesMax(this.#offset) - GROUP_BYTES;
  }

  get #heldBytes(): number {
    return this.#columns.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  async add(record: StorableRecord): Promise<void> {
    const { id, values, sparse, metadataJson } = record;
    this.#id.addRow(byteArray(id), 1);
    if (values === null) this.#values?.addAbsent(0);
    else this.#values?.addRow(bytesOf(values), values.length);
    this.#addSparse(sparse);
    addText(this.#metadata, this.#addTexts(metadataJson));
    this.#groupRows++;
    if (this.#heldBytes >= this.#groupBytes) await this.#endGroup();
  }

  async finish(): Promise<void> {
    await this.#endGroup();
    await this.#file.finish();
    await this.#flush();
  }

  /** Vectors that were made of texts have no column. */
  #addSparse(sparse: SparseVector | null): void {
    if (sparse === null) {
      this.#sparse?.indices.addAbsent(0);
      this.#sparse?.weights.addAbsent(0);
      return;
    }
    const wide = BigInt64Array.from(sparse.indices, BigInt);
    this.#sparse?.indices.addRow(new Uint8Array(wide.buffer), wide.length);
    this.#sparse?.weights.addRow(bytesOf(sparse.values), sparse.values.length);
  }

  /** Adds the texts that have columns, and returns the JSON of all other fields. */
  #addTexts(metadataJson: string | null): string | null {
    if (this.#texts.size === 0) return metadataJson;
    const metadata = parseMetadata(metadataJson);
    for (const [name, column] of this.#texts) {
      const text = Object.hasOwn(metadata, name) ? metadata[name] : undefined;
      addText(column, typeof text === 'string' ? text : null);
    }
    const others = Object.entries(metadata).filter(([name]) => !this.#texts.has(name));
    return others.length === 0 ? null : JSON.stringify(Object.fromEntries(others));
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
    this.#unpacked += Number(unpacked);
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

function addText(column: ColumnWriter, text: string | null): void {
  if (text === null) column.addAbsent(0);
  else column.addRow(byteArray(text), 1);
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
