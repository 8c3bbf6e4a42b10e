// Judgment sets in SQL.
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { fault } from '../../domain/faults.ts';
import { jsonText, parseJsonText } from '../../domain/json.ts';
import {
  JUDGMENT_BYTES_PER_PROJECT_MAX,
  JUDGMENT_SETS_PER_INDEX_MAX,
  type JudgmentSetSummary,
} from '../../domain/judgments/judgment-set.ts';
import type { CatalogSchema, JudgmentSetTable } from '../schema.ts';
import type { JudgmentSetStore, StoredJudgmentSet } from './port.ts';

type Row = Selectable<JudgmentSetTable>;

const SUMMARY = [
  'id',
  'index_id',
  'name',
  'namespace',
  'question_count',
  'judgment_count',
  'created_at',
  'updated_at',
] as const;

/** Of the content of a set; databases know it without reading the texts. */
const BYTES = sql<number>`octet_length(judgment_sets.questions) + octet_length(judgment_sets.scores)`;

/** @param bytesMax of all sets of a project together */
export function sqlJudgmentSets(
  db: Kysely<CatalogSchema>,
  bytesMax: number = JUDGMENT_BYTES_PER_PROJECT_MAX,
): JudgmentSetStore {
  return {
    list: async (indexId) => {
      const rows = await db
        .selectFrom('judgment_sets')
        .select(SUMMARY)
        .where('index_id', '=', indexId)
        .orderBy('name')
        .orderBy('id')
        .execute();
      return rows.map(summaryOf);
    },

    find: async (indexId, id) => {
      const row = await db
        .selectFrom('judgment_sets')
        .selectAll()
        .where('index_id', '=', indexId)
        .where('id', '=', id)
        .executeTakeFirst();
      return row === undefined ? null : setOf(row);
    },

    insert: (set) =>
      db.transaction().execute(async (transaction) => {
        const { indexId } = set;
        const index = await transaction
          .selectFrom('indexes')
          .select('id')
          .where('id', '=', indexId)
          .executeTakeFirst();
        if (index === undefined) return false;
        const stored = await transaction
          .selectFrom('judgment_sets')
          .select(({ fn }) => fn.countAll().as('count'))
          .where('index_id', '=', indexId)
          .executeTakeFirst();
        if (Number(stored?.count ?? 0) >= JUDGMENT_SETS_PER_INDEX_MAX) throw fault('judgment-sets-exhausted');
        await transaction.insertInto('judgment_sets').values(rowOf(set)).execute();
        await requireRoom(transaction, indexId, bytesMax);
        return true;
      }),

    replace: (set) =>
      db.transaction().execute(async (transaction) => {
        const { id, ...columns } = rowOf(set);
        const former = await transaction
          .selectFrom('judgment_sets')
          .select(BYTES.as('bytes'))
          .where('id', '=', id)
          .executeTakeFirst();
        const { numUpdatedRows } = await transaction
          .updateTable('judgment_sets')
          .set(columns)
          .where('id', '=', id)
          .where('revision', '=', set.revision - 1)
          .executeTakeFirst();
        if (numUpdatedRows !== 1n) return false;
        const bytes = Buffer.byteLength(columns.questions) + Buffer.byteLength(columns.scores);
        // What takes no more may also replace a set of a project that has too much.
        if (bytes > Number(former?.bytes ?? 0)) await requireRoom(transaction, columns.index_id, bytesMax);
        return true;
      }),

    delete: async (indexId, id) => {
      const { numDeletedRows } = await db
        .deleteFrom('judgment_sets')
        .where('index_id', '=', indexId)
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows === 1n;
    },
  };
}

/** Call after a change, which is taken back. @throws judgment-bytes-exhausted */
async function requireRoom(
  transaction: Transaction<CatalogSchema>,
  indexId: string,
  bytesMax: number,
): Promise<void> {
  const { bytes } = await transaction
    .selectFrom('judgment_sets')
    .innerJoin('indexes', 'indexes.id', 'judgment_sets.index_id')
    .select(({ fn }) => fn.sum(BYTES).as('bytes'))
    .where('indexes.project_id', '=', (query) =>
      query.selectFrom('indexes').select('project_id').where('id', '=', indexId),
    )
    .executeTakeFirstOrThrow();
  if (Number(bytes ?? 0) > bytesMax) throw fault('judgment-bytes-exhausted');
}

function summaryOf(row: Pick<Row, (typeof SUMMARY)[number]>): JudgmentSetSummary {
  return {
    id: row.id,
    indexId: row.index_id,
    name: row.name,
    namespace: row.namespace,
    questionCount: row.question_count,
    judgmentCount: row.judgment_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function setOf(row: Row): StoredJudgmentSet {
  return {
    ...summaryOf(row),
    questions: parseJsonText(row.questions),
    scores: parseJsonText(row.scores),
    revision: row.revision,
  };
}

function rowOf(set: StoredJudgmentSet): Row {
  return {
    id: set.id,
    index_id: set.indexId,
    name: set.name,
    namespace: set.namespace,
    questions: jsonText(set.questions),
    question_count: set.questionCount,
    judgment_count: set.judgmentCount,
    scores: jsonText(set.scores),
    revision: set.revision,
    created_at: set.createdAt,
    updated_at: set.updatedAt,
  };
}
