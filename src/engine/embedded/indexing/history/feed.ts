// Reads the history forward, for those who follow an index.
import { invalid } from '../../../../domain/faults.ts';
import type { FedChanges, FeedPage, FeedRequest } from '../../../port/index-history.ts';
import { changesIn } from '../../storage/history/history-entries.ts';
import type { HistoryBatch, HistoryState, HistoryTable } from '../../storage/history/history-table.ts';

/** Batches looked at for one page: those of other namespaces count, too. */
const BATCHES_A_PAGE_MAX = 2_000;
/** Of these batches, each of which is read whole. */
const BYTES_A_PAGE_MAX = 8 * 2 ** 20;

/**
 * The next changes after a position. The page ends at its limit, also in the middle of a write, whose other changes the
 * next page has.
 * @throws invalid-argument when the history does not reach from there to the present
 */
export function feedPage(
  table: Pick<HistoryTable, 'batches'>,
  state: Pick<HistoryState, 'fromSeq' | 'toSeq'>,
  request: FeedRequest,
): FeedPage {
  const { after, namespace, limit } = request;
  const { fromSeq, toSeq } = state;
  if (after.lsn <= fromSeq)
    throw invalid(`the history begins after LSN ${fromSeq}, and earlier changes are gone`);
  if (after.lsn > toSeq + 1) throw invalid(`the last write of the index has the LSN ${toSeq}`);
  const changes: FedChanges[] = [];
  let count = 0;
  let looked = 0;
  let bytes = 0;
  /** The write of the last batch, and how many changes its batches so far have. */
  let write = { lsn: after.lsn, changes: 0 };
  for (const batch of table.batches({ after: after.lsn - 1, upTo: toSeq })) {
    const { seq, header } = batch;
    if (seq !== write.lsn) write = { lsn: seq, changes: 0 };
    const size = sizeOf(batch);
    const known = seq === after.lsn ? Math.max(0, after.changes - write.changes) : 0;
    if (known < size) {
      const isFull = count === limit || looked === BATCHES_A_PAGE_MAX || bytes >= BYTES_A_PAGE_MAX;
      looked++;
      bytes += batch.value.length;
      const isMeant = namespace === null || header.namespace === namespace;
      const taken = isFull ? 0 : isMeant ? Math.min(size - known, limit - count) : size - known;
      const next = { lsn: seq, changes: write.changes + known + taken };
      if (isMeant && taken > 0) changes.push({ ...changesOf(batch, known, taken), next });
      if (isMeant) count += taken;
      if (known + taken < size) return { changes, next, isEnd: false };
    }
    write.changes += size;
  }
  return { changes, next: { lsn: toSeq + 1, changes: 0 }, isEnd: true };
}

/** A namespace that was created or deleted is one change, whatever it has: a branch has all that its source had. */
function sizeOf({ header: { kind, count } }: HistoryBatch): number {
  return isOfNamespace(kind) ? 1 : count;
}

function changesOf(
  { seq, header, value }: HistoryBatch,
  first: number,
  count: number,
): Omit<FedChanges, 'next'> {
  const { ms, namespace, kind, cause } = header;
  const ids = isOfNamespace(kind)
    ? []
    : [...changesIn(value)].slice(first, first + count).map(({ id }) => id);
  return { lsn: seq, ms, namespace, kind, cause, ids };
}

function isOfNamespace(kind: FedChanges['kind']): boolean {
  return kind === 'create-namespace' || kind === 'delete-namespace';
}
