// Files in the layout of imports, made without the server's own code.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SchemaElement } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';

export interface FileRecord {
  readonly id: string | null;
  readonly values?: readonly number[] | null;
  readonly sparse_values?: { readonly indices: readonly number[]; readonly values: readonly number[] } | null;
  readonly metadata?: string | null;
}

function list(name: string, type: 'FLOAT' | 'INT64'): SchemaElement[] {
  return [
    { name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'OPTIONAL', type },
  ];
}

const COLUMNS: Readonly<Record<string, SchemaElement[]>> = {
  id: [{ name: 'id', repetition_type: 'OPTIONAL', type: 'BYTE_ARRAY', converted_type: 'UTF8' }],
  values: list('values', 'FLOAT'),
  sparse_values: [
    { name: 'sparse_values', repetition_type: 'OPTIONAL', num_children: 2 },
    ...list('indices', 'INT64'),
    ...list('values', 'FLOAT'),
  ],
  metadata: [{ name: 'metadata', repetition_type: 'OPTIONAL', type: 'BYTE_ARRAY', converted_type: 'UTF8' }],
};

/** The bytes of a Parquet file as the library writes it; `columns` as in the public layout. */
export function parquetBytes(
  records: readonly FileRecord[],
  columns: readonly (keyof FileRecord)[] = ['id', 'values', 'metadata'],
): Uint8Array {
  const schema = [
    { name: 'schema', num_children: columns.length },
    ...columns.flatMap((name) => COLUMNS[name] ?? []),
  ];
  const columnData = columns.map((name) => ({
    name,
    data: records.map((record) => cellOf(record, name)),
    encoding: 'PLAIN' as const,
  }));
  // The library takes any values; its types know arrays of one kind only.
  return new Uint8Array(parquetWriteBuffer({ schema, columnData: columnData as never, rowGroupSize: 1_000 }));
}

function cellOf(record: FileRecord, name: keyof FileRecord): unknown {
  const value = record[name] ?? null;
  if (name !== 'sparse_values' || value === null) return value;
  const { indices, values } = record.sparse_values ?? { indices: [], values: [] };
  return { indices: indices.map(BigInt), values };
}

export function jsonlBytes(records: readonly object[]): Uint8Array {
  return Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
}

/** Writes files by their paths below a folder. */
export function putFiles(folder: string, files: Readonly<Record<string, Uint8Array | string>>): void {
  for (const [path, content] of Object.entries(files)) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
}
