// All endpoints of judgment sets.
import type { BulkEndpoint } from '../import-export/bulk-endpoint.ts';
import { createJudgmentSet } from './create-judgment-set.ts';
import { deleteJudgmentSet } from './delete-judgment-set.ts';
import { describeJudgmentSet } from './describe-judgment-set.ts';
import { judgeResults } from './judge-results.ts';
import { listJudgmentSets } from './list-judgment-sets.ts';
import { downloadQuestions, uploadQuestions } from './question-lines.ts';
import { scoreJudgmentSet } from './score-judgment-set.ts';
import { updateJudgmentSet } from './update-judgment-set.ts';

export const judgmentEndpoints: readonly BulkEndpoint[] = [
  createJudgmentSet,
  listJudgmentSets,
  describeJudgmentSet,
  updateJudgmentSet,
  judgeResults,
  downloadQuestions,
  uploadQuestions,
  scoreJudgmentSet,
  deleteJudgmentSet,
];
