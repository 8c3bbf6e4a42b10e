// Packed records with and without time to live.
import {
  isLive,
  lifetimeOf,
  NO_BRANCHES,
  stampedText,
  type TimeToLive,
} from '../../domain/expiry/time-to-live.ts';
import { type PackedRecords, packRecords, unpackRecords } from './packed-records.ts';

/** The records of a batch that have not expired, in their order; the batch itself where all live. */
export function livePacked(records: PackedRecords, ttl: TimeToLive | undefined, now: number): PackedRecords {
  if (ttl === undefined || records.count === 0) return records;
  const all = unpackRecords(records);
  const live = all.filter(({ metadataJson }) => isLive(metadataJson, ttl.field, now));
  return live.length === all.length ? records : packRecords(live, dimensionOf(records));
}

/** The records of a batch as upserted now to a namespace that is no branch; what is no moment stays as it is. */
export function stampedPacked(
  records: PackedRecords,
  ttl: TimeToLive | undefined,
  { namespace, now }: { readonly namespace: string; readonly now: number },
): PackedRecords {
  const lifetime = ttl === undefined ? null : lifetimeOf(ttl, namespace, NO_BRANCHES);
  if (ttl === undefined || lifetime === null || records.count === 0) return records;
  const stamped = unpackRecords(records).map((record) => ({
    ...record,
    metadataJson: stampedText(record.metadataJson, ttl.field, now + lifetime),
  }));
  return packRecords(stamped, dimensionOf(records));
}

function dimensionOf({ values, count }: PackedRecords): number | null {
  return values === null ? null : values.length / count;
}
