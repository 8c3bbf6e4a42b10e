// Imports a file through the page: reads rows, makes records, sends batches, and reports how far it is.
import type { Index } from '../../api/types.ts';
import type { Action } from '../../ui/action.ts';
import type { Column } from './columns.ts';
import { makeRecord } from './make-record.ts';
import { type Format, readRows } from './read-rows.ts';
import { batchesOf, type NumberedRecord, type RowError, sendBatch } from './send-records.ts';

export interface ImportPlan {
  readonly index: Index;
  readonly namespace: string;
  readonly file: File;
  readonly format: Format;
  readonly columns: readonly Column[];
}

export interface Progress {
  /** 0 to 1. */
  readonly share: number;
  readonly stored: number;
  readonly refused: number;
  /** The first ones. */
  readonly errors: readonly RowError[];
  readonly seconds: number;
}

/** Errors kept to show and save; more are only counted. */
export const ERRORS_MAX = 10_000;
const SECOND_MS = 1_000;

/** Yields the progress after each batch. @throws as reading and sending do */
export async function* runImport(plan: ImportPlan, action: Action): AsyncGenerator<Progress> {
  const { index, namespace, file, format, columns } = plan;
  const startedAt = performance.now();
  const errors: RowError[] = [];
  let stored = 0;
  let refused = 0;
  const refuse = (found: readonly RowError[]) => {
    refused += found.length;
    errors.push(...found.slice(0, Math.max(0, ERRORS_MAX - errors.length)));
  };
  for await (const { rows, bytes } of readRows(file, format)) {
    const records: NumberedRecord[] = [];
    for (const row of rows) {
      const made = makeRecord(index, row, columns, format === 'csv');
      if ('record' in made) records.push({ number: row.number, record: made.record });
      else refuse([{ row: row.number, reason: made.problem }]);
    }
    for (const batch of batchesOf(index, records)) {
      const found = await sendBatch(index, namespace, batch, action);
      refuse(found);
      stored += batch.length - found.length;
      yield progress(bytes);
    }
  }
  yield progress(file.size);

  function progress(bytes: number): Progress {
    const seconds = (performance.now() - startedAt) / SECOND_MS;
    return { share: file.size === 0 ? 1 : bytes / file.size, stored, refused, errors: [...errors], seconds };
  }
}
