// The catalog's migrations, oldest first. Released migrations are never edited: every change is a new one.
import type { MigrationProvider, MigrationResult } from 'kysely/migration';
import { administration } from './migrations/administration.ts';
import { assistantIndexes } from './migrations/assistant-indexes.ts';
import { assistants } from './migrations/assistants.ts';
import { consoleSessions } from './migrations/console-sessions.ts';
import { deletedOrganizations } from './migrations/deleted-organizations.ts';
import { documentSchemas } from './migrations/document-schemas.ts';
import { foundation } from './migrations/foundation.ts';
import { identities } from './migrations/identities.ts';
import { imports } from './migrations/imports.ts';
import { inference } from './migrations/inference.ts';
import { jobs } from './migrations/jobs.ts';
import { judgmentSets } from './migrations/judgment-sets.ts';
import { memoryProfile } from './migrations/memory-profile.ts';
import { modelChanges } from './migrations/model-changes.ts';
import { namespaceAliases } from './migrations/namespace-aliases.ts';
import { nodeLeftovers } from './migrations/node-leftovers.ts';
import { nodes } from './migrations/nodes.ts';
import { operationEnds } from './migrations/operation-ends.ts';
import { passwords } from './migrations/passwords.ts';
import { promisedRecall } from './migrations/promised-recall.ts';
import { retiredPorts } from './migrations/retired-ports.ts';
import { timeToLive } from './migrations/time-to-live.ts';

const FIRST_MIGRATION = '0001-foundation';

/** Migrations are code: nothing is read from disk, so a bundle or a moved folder works the same. */
export const catalogMigrations: MigrationProvider = {
  getMigrations: () =>
    Promise.resolve({
      [FIRST_MIGRATION]: foundation,
      '0002-administration': administration,
      '0003-jobs': jobs,
      '0004-inference': inference,
      '0005-imports': imports,
      '0006-assistants': assistants,
      '0007-assistant-indexes': assistantIndexes,
      '0008-deleted-organizations': deletedOrganizations,
      '0009-document-schemas': documentSchemas,
      '0010-retired-ports': retiredPorts,
      '0011-passwords': passwords,
      '0012-namespace-aliases': namespaceAliases,
      '0013-model-changes': modelChanges,
      '0014-judgment-sets': judgmentSets,
      '0015-time-to-live': timeToLive,
      '0017-console-sessions': consoleSessions,
      '0018-identities': identities,
      '0019-promised-recall': promisedRecall,
      '0020-nodes': nodes,
      '0021-node-leftovers': nodeLeftovers,
      '0022-memory-profile': memoryProfile,
      '0023-operation-ends': operationEnds,
    }),
};

export type MigrationsListener = (names: readonly string[]) => void;

/** Tells which migrations of a run were new to the catalog; nothing of a catalog that was just made. */
export function tellMigrations(
  results: readonly MigrationResult[] | undefined,
  listener: MigrationsListener | undefined,
): void {
  const names = (results ?? []).map(({ migrationName }) => migrationName);
  if (names.length > 0 && !names.includes(FIRST_MIGRATION)) listener?.(names);
}
