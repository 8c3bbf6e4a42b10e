// GET and PUT /judgment-sets/{set_id}/questions: the questions of a judgment set as lines of JSON.
import { isJsonObject } from '../../../domain/json.ts';
import { Type } from '../../schema/type.ts';
import type { BulkEndpoint } from '../import-export/bulk-endpoint.ts';
import { setId } from './describe-judgment-set.ts';
import {
  CHANGE_FAULTS,
  EXTENSION,
  JUDGED_EXAMPLE,
  JudgmentSetObject,
  QUESTION_BOUNDS,
  Questions,
  READING,
  SET_PATH,
  SetPath,
  WRITING,
} from './judgment-call.ts';
import { judgedToWire, setToWire } from './judgment-wire.ts';
import { judgmentBody, readQuestions } from './read-questions.ts';

const PATH = `${SET_PATH}/questions`;
const LINES = 'application/x-ndjson';

export const downloadQuestions: BulkEndpoint = {
  ...READING,
  id: 'download_questions',
  method: 'GET',
  path: PATH,
  summary: 'Download the questions of a judgment set',
  description: `As lines of JSON, which the upload takes.${EXTENSION}`,
  params: SetPath,
  success: {
    status: 200,
    description: 'A question with its judgments in each line.',
    schema: Type.String({ examples: [`${JSON.stringify(JUDGED_EXAMPLE)}\n`] }),
    mediaType: LINES,
  },
  faults: ['judgment-set-not-found'],
  handle: async (call) => {
    const { questions } = await call.services.judgments.describe(call.index.id, setId(call));
    async function* lines(): AsyncGenerator<string> {
      for (const question of questions) yield `${JSON.stringify(judgedToWire(question))}\n`;
    }
    return { status: 200, headers: { 'content-type': LINES }, content: lines() };
  },
};

export const uploadQuestions: BulkEndpoint = {
  ...WRITING,
  id: 'upload_questions',
  method: 'PUT',
  path: PATH,
  summary: 'Upload the questions of a judgment set',
  description: `Replaces all questions of the set: by lines of JSON, as the download has them, or by an object with a list.${EXTENSION}`,
  params: SetPath,
  body: Type.Object(
    { questions: Questions },
    {
      title: 'UploadQuestionsRequest',
      additionalProperties: false,
      examples: [{ questions: [JUDGED_EXAMPLE] }],
    },
  ),
  bodyTypes: ['application/json', LINES],
  bodyBounds: QUESTION_BOUNDS,
  takesLines: true,
  success: { status: 200, description: 'The changed set.', schema: JudgmentSetObject },
  faults: CHANGE_FAULTS,
  handle: async (call) => {
    const { body } = call;
    const questions = isJsonObject(body) ? judgmentBody(body, ['questions']).questions : body;
    const set = await call.services.judgments.update(call.index, setId(call), {
      questions: readQuestions(questions),
    });
    return { status: 200, body: setToWire(set) };
  },
};
