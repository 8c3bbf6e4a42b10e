// PATCH /judgment-sets/{set_id}: changes the name, the namespace or all questions of a judgment set.
import { namespaceToStored } from '../../../domain/records/record-id.ts';
import { Type } from '../../schema/type.ts';
import type { BulkEndpoint } from '../import-export/bulk-endpoint.ts';
import { setId } from './describe-judgment-set.ts';
import {
  CHANGE_FAULTS,
  EXTENSION,
  JudgmentSetObject,
  QUESTION_BOUNDS,
  Questions,
  SET_PATH,
  SetName,
  SetNamespace,
  SetPath,
  WRITING,
} from './judgment-call.ts';
import { setToWire } from './judgment-wire.ts';
import { judgmentBody, readName, readQuestions } from './read-questions.ts';

export const updateJudgmentSet: BulkEndpoint = {
  ...WRITING,
  id: 'update_judgment_set',
  method: 'PATCH',
  path: SET_PATH,
  summary: 'Change a judgment set',
  description: `What the body leaves out stays; questions replace all that the set has.${EXTENSION}`,
  params: SetPath,
  body: Type.Object(
    {
      name: Type.Optional(SetName),
      namespace: Type.Optional(SetNamespace),
      questions: Type.Optional(Questions),
    },
    {
      title: 'UpdateJudgmentSetRequest',
      additionalProperties: false,
      examples: [{ name: 'hard questions' }],
    },
  ),
  bodyBounds: QUESTION_BOUNDS,
  success: { status: 200, description: 'The changed set.', schema: JudgmentSetObject },
  faults: CHANGE_FAULTS,
  handle: async (call) => {
    const { name, namespace, questions } = judgmentBody(call.body, ['name', 'namespace', 'questions']);
    const set = await call.services.judgments.update(call.index, setId(call), {
      ...(name !== undefined && { name: readName(name) }),
      ...(namespace !== undefined && { namespace: namespaceToStored(namespace) }),
      ...(questions !== undefined && { questions: readQuestions(questions) }),
    });
    return { status: 200, body: setToWire(set) };
  },
};
