// Storage that nodes have and that does not answer, in SQL: of moves of assistants, and of what was taken over.
import type { Kysely } from 'kysely';
import { ACTIVE_JOB_STATES } from '../../domain/jobs.ts';
import type { CatalogSchema } from '../schema.ts';
import type { AssistantCopy, NodeStore } from './port.ts';
import { leaveBehind, nodeRow, setPlacement, takeOverAssistant, takeOverIndex } from './take-over.ts';

type Methods = Pick<
  NodeStore,
  | 'takeOverIndex'
  | 'takeOverAssistant'
  | 'beginAssistantCopy'
  | 'exchangeAssistant'
  | 'abandonCopies'
  | 'leftovers'
  | 'condemnLeftover'
  | 'endLeftover'
>;

/** @param now by the shared clock */
export function leftoverMethods(db: Kysely<CatalogSchema>, now: () => string): Methods {
  return {
    takeOverIndex: (takeover) => db.transaction().execute((tx) => takeOverIndex(tx, takeover, now())),

    takeOverAssistant: (takeover) => db.transaction().execute((tx) => takeOverAssistant(tx, takeover, now())),

    beginAssistantCopy: async (copy) => {
      const { nodeId: node_id, jobId: job_id } = copy;
      const rows = partsOf(copy).map((part) => ({ node_id, job_id, since: now(), ...part }));
      await db.insertInto('node_leftovers').values(rows).execute();
    },

    exchangeAssistant: (ref, copy) =>
      db.transaction().execute(async (tx) => {
        const target = await nodeRow(tx, copy.nodeId);
        if (target === undefined || target.lease_until <= now()) return false;
        const noted = await tx
          .deleteFrom('node_leftovers')
          .where('node_id', '=', copy.nodeId)
          .where('job_id', '=', copy.jobId)
          .where('storage_id', 'in', [copy.denseIndexId, copy.sparseIndexId])
          .executeTakeFirst();
        const owner = { node_id: copy.nodeId, epoch: ref.epoch + 1, is_held: 0 };
        const isSet = noted.numDeletedRows === 2n && (await setPlacement(tx, ref, owner));
        const stored = await tx
          .updateTable('assistants')
          .set({ dense_index_id: copy.denseIndexId, sparse_index_id: copy.sparseIndexId })
          .where('id', '=', ref.id)
          .where('sparse_index_id', '=', ref.sparseIndexId)
          .where('state', '=', 'Ready')
          .executeTakeFirst();
        if (!isSet || stored.numUpdatedRows !== 1n)
          throw new Error('The assistant, or its copy, is not what it was when the move began.');
        await leaveBehind(tx, { nodeId: ref.nodeId, now: now() }, [ref.denseIndexId, ref.sparseIndexId]);
        return true;
      }),

    abandonCopies: async (jobId) => {
      await db.updateTable('node_leftovers').set({ job_id: null }).where('job_id', '=', jobId).execute();
    },

    leftovers: async (nodeId) => {
      const rows = await db
        .selectFrom('node_leftovers')
        .selectAll()
        .where('node_id', '=', nodeId)
        .orderBy('storage_id')
        .execute();
      return rows.map((row) => ({
        nodeId: row.node_id,
        storageId: row.storage_id,
        jobId: row.job_id,
        part: row.part,
        since: row.since,
      }));
    },

    condemnLeftover: ({ nodeId, storageId }) =>
      db.transaction().execute(async (tx) => {
        const active = tx.selectFrom('jobs').select('id').where('state', 'in', ACTIVE_JOB_STATES);
        const result = await tx
          .updateTable('node_leftovers')
          .set({ job_id: null })
          .where('node_id', '=', nodeId)
          .where('storage_id', '=', storageId)
          .where((each) => each.or([each('job_id', 'is', null), each('job_id', 'not in', active)]))
          .executeTakeFirst();
        return result.numUpdatedRows === 1n;
      }),

    endLeftover: async ({ nodeId, storageId }) => {
      await db
        .deleteFrom('node_leftovers')
        .where('node_id', '=', nodeId)
        .where('storage_id', '=', storageId)
        .execute();
    },
  };
}

function partsOf({ denseIndexId, sparseIndexId }: AssistantCopy) {
  return [
    { storage_id: denseIndexId, part: 'dense' as const },
    { storage_id: sparseIndexId, part: 'sparse' as const },
  ];
}
