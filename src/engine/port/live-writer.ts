// Writes to an index with a time to live: records get the moment at which they expire, and expired ones are not there.
import { isFilterable } from '../../domain/expiry/check-time-to-live.ts';
import {
  type Clock,
  checkMoment,
  lifetimeOf,
  liveFilter,
  onlyLive,
  stampedMetadata,
  systemClock,
  type TimeToLive,
} from '../../domain/expiry/time-to-live.ts';
import { invalid } from '../../domain/faults.ts';
import type { RecordChange, StorableRecord, VectorWriter } from './reader-and-writer.ts';

/**
 * The same writer where the index has no time to live.
 * @param clock tells when records are written; by default the system's
 */
export function liveWriter(
  writer: VectorWriter,
  ttl: TimeToLive | undefined,
  clock: Clock = systemClock,
): VectorWriter {
  if (ttl === undefined) return writer;
  const { field } = ttl;
  const live = () => liveFilter(ttl, clock());
  const checked = (change: RecordChange): RecordChange => {
    checkMoment(change.setMetadata, field);
    return { ...change, onlyIf: live(), uncountedField: field };
  };
  return {
    // Async, so that a refusal is a rejection.
    upsert: async (namespace, records) =>
      writer.upsert(namespace, stampedRecords(records, ttl, { namespace, now: clock() })),
    update: async (namespace, change) => writer.update(namespace, checked(change)),
    updateMany: async (namespace, changes) => writer.updateMany(namespace, changes.map(checked)),
    updateByFilter: async (namespace, change) => {
      checkMoment(change.setMetadata, field);
      return writer.updateByFilter(namespace, {
        ...change,
        filter: onlyLive(live(), change.filter),
        uncountedField: field,
      });
    },
    deleteIds: (namespace, ids) => writer.deleteIds(namespace, ids),
    deleteByFilter: (namespace, filter) => writer.deleteByFilter(namespace, onlyLive(live(), filter)),
    deleteNamespace: (name) => writer.deleteNamespace(name),
    createNamespace: async (name, schema) => {
      if (!isFilterable(schema, ttl))
        throw invalid(
          `the schema must list '${field}': filters must be able to use the field by which records of this index expire`,
        );
      return writer.createNamespace(name, schema);
    },
    removeExpired: (request) => writer.removeExpired(request),
  };
}

/** Records with the moments at which they expire. @throws invalid-argument for a moment that is none */
export function stampedRecords(
  records: readonly StorableRecord[],
  ttl: TimeToLive | undefined,
  { namespace, now }: { readonly namespace: string; readonly now: number },
): readonly StorableRecord[] {
  if (ttl === undefined) return records;
  const lifetime = lifetimeOf(ttl, namespace);
  return records.map((record) => ({
    ...record,
    metadataJson: stampedMetadata(record.metadataJson, ttl, { lifetime, now }),
  }));
}
