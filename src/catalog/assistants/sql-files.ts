// Files of assistants in SQL: reading them and their revisions. Their changes are in file-changes.ts.
import type { Kysely } from 'kysely';
import { byCreation } from '../administration/page-of.ts';
import { isBefore } from '../newest-first.ts';
import type { CatalogSchema } from '../schema.ts';
import { fileChanges } from './file-changes.ts';
import type { AssistantFile, AssistantFileStore, FileQuery, FileState } from './port.ts';
import { fileOf, revisionOf } from './rows.ts';

/** Rows looked through at a time for those a filter accepts. */
const SCAN_ROWS = 500;

type Reads = Pick<
  AssistantFileStore,
  'find' | 'list' | 'many' | 'counts' | 'revision' | 'revisionIds' | 'liveFiles'
>;

export function sqlAssistantFiles(db: Kysely<CatalogSchema>): AssistantFileStore {
  return { ...fileReads(db), ...fileChanges(db) };
}

function fileReads(db: Kysely<CatalogSchema>): Reads {
  return {
    find: async ({ assistantId, fileId }) => {
      const row = await db
        .selectFrom('assistant_files')
        .selectAll()
        .where('assistant_id', '=', assistantId)
        .where('id', '=', fileId)
        .executeTakeFirst();
      return row === undefined ? null : fileOf(row);
    },

    list: async (query, { limit, after }) => {
      const found: AssistantFile[] = [];
      for (let from = after; found.length <= limit; ) {
        const rows = await db
          .selectFrom('assistant_files')
          .selectAll()
          .where('assistant_id', '=', query.assistantId)
          .where(isBefore('assistant_files', { limit, after: from }))
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .limit(Math.max(SCAN_ROWS, limit + 1))
          .execute();
        const files = rows.map(fileOf);
        found.push(...files.filter((file) => query.accepts?.(file.metadata ?? {}) ?? true));
        from = files.at(-1) ?? null;
        if (files.length < Math.max(SCAN_ROWS, limit + 1)) break;
      }
      return byCreation(found.slice(0, limit + 1), limit);
    },

    many: async (assistantId, fileIds) => {
      if (fileIds.length === 0) return [];
      const rows = await db
        .selectFrom('assistant_files')
        .selectAll()
        .where('assistant_id', '=', assistantId)
        .where('id', 'in', fileIds)
        .execute();
      return rows.map(fileOf);
    },

    counts: async (projectId) => {
      const rows = await db
        .selectFrom('assistant_files')
        .innerJoin('assistants', 'assistants.id', 'assistant_files.assistant_id')
        .select(({ fn }) => [
          'assistants.name as assistantName',
          'assistant_files.state as state',
          fn.countAll().as('files'),
        ])
        .where('assistants.project_id', '=', projectId)
        .groupBy(['assistants.name', 'assistant_files.state'])
        .orderBy('assistants.name')
        .orderBy('assistant_files.state')
        .execute();
      return rows.map(({ assistantName, state, files }) => ({
        assistantName,
        state: state as FileState,
        files: Number(files),
      }));
    },

    revision: async (id) => {
      const row = await db
        .selectFrom('assistant_revisions')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row === undefined ? null : revisionOf(row);
    },

    revisionIds: async ({ assistantId, accepts }, states) => {
      const rows = await db
        .selectFrom('assistant_revisions')
        .select(['id', 'metadata'])
        .where('assistant_id', '=', assistantId)
        .where('state', 'in', states)
        .execute();
      return rows.filter(({ metadata }) => isAccepted(accepts, metadata)).map(({ id }) => id);
    },

    liveFiles: async (assistantId, revisionIds) => {
      if (revisionIds.length === 0) return new Map();
      const revisions = await db
        .selectFrom('assistant_revisions')
        .selectAll()
        .where('assistant_id', '=', assistantId)
        .where('state', '=', 'live')
        .where('id', 'in', revisionIds)
        .execute();
      const files = await db
        .selectFrom('assistant_files')
        .selectAll()
        .where('assistant_id', '=', assistantId)
        .where('revision_id', 'in', revisionIds)
        .execute();
      const byRevision = new Map(files.map((row) => [row.revision_id, fileOf(row)]));
      return new Map(
        revisions.map(revisionOf).flatMap(({ id, processing }) => {
          const file = byRevision.get(id);
          return file === undefined ? [] : [[id, { file, processing }] as const];
        }),
      );
    },
  };
}

function isAccepted(accepts: FileQuery['accepts'], metadata: string | null): boolean {
  return accepts === null || accepts(metadata === null ? {} : JSON.parse(metadata));
}
