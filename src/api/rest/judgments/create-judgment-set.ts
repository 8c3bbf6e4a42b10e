// POST /judgment-sets: makes a judgment set.
import { namespaceToStored } from '../../../domain/records/record-id.ts';
import { Type } from '../../schema/type.ts';
import type { BulkEndpoint } from '../import-export/bulk-endpoint.ts';
import {
  EXTENSION,
  JUDGED_EXAMPLE,
  JudgmentSetObject,
  QUESTION_BOUNDS,
  Questions,
  SETS_PATH,
  SetName,
  SetNamespace,
  WRITING,
} from './judgment-call.ts';
import { setToWire } from './judgment-wire.ts';
import { judgmentBody, readName, readQuestions } from './read-questions.ts';

export const createJudgmentSet: BulkEndpoint = {
  ...WRITING,
  id: 'create_judgment_set',
  method: 'POST',
  path: SETS_PATH,
  summary: 'Create a judgment set',
  description: `Questions to the index, with records that people have judged. It goes with its index.${EXTENSION}`,
  body: Type.Object(
    { name: SetName, namespace: Type.Optional(SetNamespace), questions: Type.Optional(Questions) },
    {
      title: 'CreateJudgmentSetRequest',
      additionalProperties: false,
      examples: [{ name: 'everyday questions', namespace: 'films', questions: [JUDGED_EXAMPLE] }],
    },
  ),
  bodyBounds: QUESTION_BOUNDS,
  success: { status: 201, description: 'The new set.', schema: JudgmentSetObject },
  faults: [
    'invalid-argument',
    'body-not-json',
    'judgment-sets-exhausted',
    'judgment-bytes-exhausted',
    'storage-full',
  ],
  handle: async ({ body, index, services }) => {
    const { name, namespace, questions = [] } = judgmentBody(body, ['name', 'namespace', 'questions']);
    const set = {
      name: readName(name),
      namespace: namespaceToStored(namespace),
      questions: readQuestions(questions ?? []),
    };
    return { status: 201, body: setToWire(await services.judgments.create(index, set)) };
  },
};
