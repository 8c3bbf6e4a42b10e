// GET /judgment-sets: the judgment sets of an index.
import { JUDGMENT_SETS_PER_INDEX_MAX } from '../../../domain/judgments/judgment-set.ts';
import { Type } from '../../schema/type.ts';
import type { BulkEndpoint } from '../import-export/bulk-endpoint.ts';
import { EXTENSION, JudgmentSetSummaryObject, READING, SETS_PATH } from './judgment-call.ts';
import { summaryToWire } from './judgment-wire.ts';

export const listJudgmentSets: BulkEndpoint = {
  ...READING,
  id: 'list_judgment_sets',
  method: 'GET',
  path: SETS_PATH,
  summary: 'List judgment sets',
  description: `By name, without their questions. An index has at most ${JUDGMENT_SETS_PER_INDEX_MAX}.${EXTENSION}`,
  success: {
    status: 200,
    description: 'All sets of the index.',
    schema: Type.Object({ judgment_sets: Type.Array(JudgmentSetSummaryObject) }),
  },
  faults: [],
  handle: async ({ index, services }) => ({
    status: 200,
    body: { judgment_sets: (await services.judgments.list(index.id)).map(summaryToWire) },
  }),
};
