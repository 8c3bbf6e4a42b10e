// DELETE /judgment-sets/{set_id}: deletes a judgment set with its scores.
import type { BulkEndpoint } from '../import-export/bulk-endpoint.ts';
import { setId } from './describe-judgment-set.ts';
import { EXTENSION, SET_PATH, SetPath, WRITING } from './judgment-call.ts';

export const deleteJudgmentSet: BulkEndpoint = {
  ...WRITING,
  id: 'delete_judgment_set',
  method: 'DELETE',
  path: SET_PATH,
  summary: 'Delete a judgment set',
  description: `With its questions and scores; no record changes.${EXTENSION}`,
  params: SetPath,
  success: { status: 204, description: 'Deleted.' },
  faults: ['judgment-set-not-found', 'storage-full'],
  handle: async (call) => {
    await call.services.judgments.delete(call.index.id, setId(call));
    return { status: 204 };
  },
};
