// Writes to an index with a time to live: records get the moment at which they expire, and expired ones are not there.
import { isFilterable } from '../../domain/expiry/check-time-to-live.ts';
import {
  type BranchSources,
  type Clock,
  checkMoment,
  dependsOnSource,
  lifetimeOf,
  liveFilter,
  NO_BRANCHES,
  onlyLive,
  stampedMetadata,
  systemClock,
  type TimeToLive,
} from '../../domain/expiry/time-to-live.ts';
import { invalid } from '../../domain/faults.ts';
import type { RecordChange, StorableRecord, VectorWriter } from './reader-and-writer.ts';

export interface LiveWriterOptions {
  /** Tells when records are written; by default the system's. */
  readonly clock?: Clock | undefined;
  /** The branches that have a source; by default none. */
  readonly sources?: () => BranchSources | Promise<BranchSources>;
}

/** The same writer where the index has no time to live. */
export function liveWriter(
  writer: VectorWriter,
  ttl: TimeToLive | undefined,
  { clock = systemClock, sources = () => NO_BRANCHES }: LiveWriterOptions = {},
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
    upsert: async (namespace, records) => {
      const known = dependsOnSource(ttl, namespace) ? await sources() : NO_BRANCHES;
      const lifetime = lifetimeOf(ttl, namespace, known);
      return writer.upsert(namespace, stampedRecords(records, ttl, { lifetime, now: clock() }));
    },
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
function stampedRecords(
  records: readonly StorableRecord[],
  ttl: TimeToLive,
  moment: { readonly lifetime: number | null; readonly now: number },
): readonly StorableRecord[] {
  return records.map((record) => ({
    ...record,
    metadataJson: stampedMetadata(record.metadataJson, ttl, moment),
  }));
}
