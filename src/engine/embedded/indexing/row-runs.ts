// Runs of rows in a commit that are adjacent both in the file and in memory: each is written without copying.
import type { RowWrite } from './write-transaction.ts';

export interface RowRun {
  readonly firstRow: number;
  readonly bytes: Uint8Array;
}

/** The writes as runs, in their order. The rows of a request's body or of a packed batch share a buffer. */
export function rowRuns(writes: readonly RowWrite[]): readonly RowRun[] {
  const runs: RowRun[] = [];
  for (let first = 0; first < writes.length; ) {
    let end = first + 1;
    while (isNext(writes[end - 1], writes[end])) end++;
    const run = writes[first];
    if (run === undefined) break;
    const { buffer, byteOffset, byteLength } = run.values;
    const bytes = new Uint8Array(buffer, byteOffset, byteLength * (end - first));
    runs.push({ firstRow: run.row, bytes });
    first = end;
  }
  return runs;
}

function isNext(one: RowWrite | undefined, next: RowWrite | undefined): boolean {
  if (one === undefined || next === undefined || next.row !== one.row + 1) return false;
  const { buffer, byteOffset, byteLength } = one.values;
  return next.values.buffer === buffer && next.values.byteOffset === byteOffset + byteLength;
}
