// Reads a question set: questions with their true answers and, where it is known, the file and page that answer them.
import { type TestQuestion, testQuestionOf } from '../../../../domain/assistants/evaluation/test-question.ts';
import { CliProblem, type Io } from '../../../command.ts';
import { rowSources } from '../../records/read-rows.ts';

/** An answer of `1.10` is not 1.1. */
const TEXT_FIELDS = ['question', 'answer', 'file'];

/** @throws CliProblem that names the row that is wrong */
export async function readQuestions(
  path: string,
  format: string | undefined,
  io: Io,
): Promise<readonly TestQuestion[]> {
  const questions: TestQuestion[] = [];
  const form = { format, names: new Map(), textFields: TEXT_FIELDS, textColumns: [] };
  for (const { rows, name } of await rowSources([path], form, io)) {
    for await (const row of rows(() => undefined)) {
      const number = questions.length + 1;
      const question = testQuestionOf(row, number);
      if ('problem' in question) throw new CliProblem(`Row ${number} of ${name} ${question.problem}.`);
      questions.push(question);
    }
  }
  if (questions.length === 0) throw new CliProblem(`${path} has no questions.`);
  return questions;
}
