// The formats of record files.

export const RECORD_FORMATS = ['parquet', 'jsonl'] as const;
export type RecordFormat = (typeof RECORD_FORMATS)[number];

/** Determines the format from the file extension; null for others. */
export function formatOf(path: string): RecordFormat | null {
  if (/\.parquet$/i.test(path)) return 'parquet';
  return /\.(jsonl|ndjson)(\.gz)?$/i.test(path) ? 'jsonl' : null;
}

/** True when the file is compressed as a whole. */
export function isGzip(path: string): boolean {
  return /\.gz$/i.test(path);
}
