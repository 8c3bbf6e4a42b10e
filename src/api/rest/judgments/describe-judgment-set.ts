// GET /judgment-sets/{set_id}: a judgment set with its questions and latest scores.
import type { BulkCall, BulkEndpoint } from '../import-export/bulk-endpoint.ts';
import { EXTENSION, JudgmentSetObject, READING, SET_PATH, SetPath } from './judgment-call.ts';
import { setToWire } from './judgment-wire.ts';

/** The `set_id` of the path, which the router guarantees. */
export function setId({ params }: Pick<BulkCall, 'params'>): string {
  return params.set_id ?? '';
}

export const describeJudgmentSet: BulkEndpoint = {
  ...READING,
  id: 'describe_judgment_set',
  method: 'GET',
  path: SET_PATH,
  summary: 'Describe a judgment set',
  description: `With its questions and latest scores.${EXTENSION}`,
  params: SetPath,
  success: { status: 200, description: 'The set.', schema: JudgmentSetObject },
  faults: ['judgment-set-not-found'],
  handle: async (call) => {
    const set = await call.services.judgments.describe(call.index.id, setId(call));
    return { status: 200, body: setToWire(set) };
  },
};
