// The formats of files of records.

export const RECORD_FORMATS = ['parquet', 'jsonl'] as const;
export type RecordFormat = (typeof RECORD_FORMATS)[number];

/** By the end of its name; null for others. */
export function formatOf(path: string): RecordFormat | null {
  if (/\.parquet$/i.test(path)) return 'parquet';
  return /\.(jsonl|ndjson)$/i.test(path) ? 'jsonl' : null;
}
