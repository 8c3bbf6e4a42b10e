// Reads a question set that a person chose: JSON lines, a JSON list or CSV.
import {
  type TestQuestion,
  testQuestionOf,
} from '../../../../../src/domain/assistants/evaluation/test-question.ts';
import { isJsonObject, type JsonObject } from '../../../../../src/domain/json.ts';
import { formatOf, readRows } from '../../transfer/read-rows.ts';

/** A set runs for minutes; far more is a mistake. */
const QUESTIONS_MAX = 5_000;

/** @throws Error that names the row that is wrong */
export async function readQuestions(file: File): Promise<readonly TestQuestion[]> {
  const questions: TestQuestion[] = [];
  for await (const row of rowsOf(file)) {
    const number = questions.length + 1;
    const question = testQuestionOf(row, number);
    if ('problem' in question) throw new Error(`Row ${number} ${question.problem}.`);
    questions.push(question);
    if (number > QUESTIONS_MAX) throw new Error(`A set has at most ${QUESTIONS_MAX} questions.`);
  }
  if (questions.length === 0) throw new Error('The file has no questions.');
  return questions;
}

async function* rowsOf(file: File): AsyncGenerator<JsonObject> {
  if (/\.json$/i.test(file.name)) {
    const list: unknown = JSON.parse(await file.text());
    if (!Array.isArray(list) || !list.every(isJsonObject))
      throw new Error('The file is no list of questions.');
    yield* list;
    return;
  }
  const format = formatOf(file.name);
  if (format === undefined) throw new Error('The name of a file ends in .jsonl, .json or .csv.');
  for await (const { rows } of readRows(file, format)) {
    for (const { number, values, problem } of rows) {
      if (problem !== undefined) throw new Error(`Row ${number}: ${problem}.`);
      yield format === 'csv' ? withNumber(values) : values;
    }
  }
}

/** Cells are text, also those of pages. */
function withNumber(values: JsonObject): JsonObject {
  const { page } = values;
  return typeof page === 'string' && /^\d+$/.test(page) ? { ...values, page: Number(page) } : values;
}
