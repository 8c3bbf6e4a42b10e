// POST /judgment-sets/{set_id}/judgments: judges results of one question.
import { JUDGMENTS_PER_QUESTION_MAX } from '../../../domain/judgments/judgment-set.ts';
import { Type } from '../../schema/type.ts';
import type { BulkEndpoint } from '../import-export/bulk-endpoint.ts';
import { RecordId } from '../records/schemas.ts';
import { setId } from './describe-judgment-set.ts';
import {
  CHANGE_FAULTS,
  EXTENSION,
  Grade,
  JudgmentSetObject,
  QUESTION_BOUNDS,
  QuestionObject,
  SET_PATH,
  SetPath,
  WRITING,
} from './judgment-call.ts';
import { setToWire } from './judgment-wire.ts';
import { judgmentBody, readJudgments, readQuestion } from './read-questions.ts';

export const judgeResults: BulkEndpoint = {
  ...WRITING,
  id: 'judge_results',
  method: 'POST',
  path: `${SET_PATH}/judgments`,
  summary: 'Judge results of a question',
  description:
    'Adds judgments to the question, and the question where the set does not have it. Judgments of the same records ' +
    `are replaced; a null grade takes one back. A question goes with its last judgment.${EXTENSION}`,
  params: SetPath,
  body: Type.Object(
    {
      question: QuestionObject,
      judgments: Type.Array(
        Type.Object(
          { id: RecordId, grade: Type.Union([Grade, Type.Null()]) },
          { additionalProperties: false },
        ),
        { maxItems: JUDGMENTS_PER_QUESTION_MAX },
      ),
    },
    {
      title: 'JudgeResultsRequest',
      additionalProperties: false,
      examples: [{ question: { vector: [0.1, 0.2, 0.3] }, judgments: [{ id: 'movie-3', grade: 2 }] }],
    },
  ),
  bodyBounds: QUESTION_BOUNDS,
  success: { status: 200, description: 'The set.', schema: JudgmentSetObject },
  faults: CHANGE_FAULTS,
  handle: async (call) => {
    const { question, judgments } = judgmentBody(call.body, ['question', 'judgments']);
    const judged = { question: readQuestion(question), judgments: readJudgments(judgments, 'question') };
    const set = await call.services.judgments.judge(call.index, setId(call), judged);
    return { status: 200, body: setToWire(set) };
  },
};
