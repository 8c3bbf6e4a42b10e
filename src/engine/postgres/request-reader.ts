// A reader that one request has to itself: what its reads have found beside records answers later questions of it.
import type { IndexProfile } from '../../domain/index-model.ts';
import type { Lsn, VectorReader } from '../port/reader-and-writer.ts';
import type { Database } from './database.ts';
import type { NamespaceHints } from './namespace-hints.ts';
import { type NamespaceRow, summaryOf } from './namespaces.ts';
import { postgresReader, type ReaderOptions } from './postgres-reader.ts';

export interface RequestReader {
  readonly reader: VectorReader;
  /** A write up to which all reads so far saw every one. */
  readonly seenLsn: () => Promise<Lsn>;
}

export interface RequestReaders {
  /** @param countsMatches whether explanations count the records that match a filter */
  readonly of: (profile: IndexProfile, countsMatches: boolean) => RequestReader;
}

export function requestReaders(database: Database, hints: NamespaceHints): RequestReaders {
  return { of: (profile, countsMatches) => requestReader(database, profile, { hints, countsMatches }) };
}

function requestReader(
  database: Database,
  profile: IndexProfile,
  options: Pick<ReaderOptions, 'hints' | 'countsMatches'>,
): RequestReader {
  const seen = new Map<string, NamespaceRow | null>();
  let lowest: Lsn | null = null;
  const reader = postgresReader(database, profile, {
    ...options,
    onState: ({ lsn, row }, namespace) => {
      lowest = Math.min(lowest ?? lsn, lsn);
      if (namespace !== null) seen.set(namespace, row);
    },
  });
  return {
    reader: {
      ...reader,
      describeNamespace: async (name) => {
        const row = seen.get(name);
        if (row === undefined) return reader.describeNamespace(name);
        return row === null ? null : summaryOf(row);
      },
    },
    seenLsn: async () => lowest ?? reader.lsn(),
  };
}
