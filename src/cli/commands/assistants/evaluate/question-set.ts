// Reads a question set: questions with their true answers and, where it is known, the file and page that answer them.
import type { JsonObject } from '../../../../domain/json.ts';
import { CliProblem, type Io } from '../../../command.ts';
import { rowSources } from '../../records/read-rows.ts';

export interface TestQuestion {
  /** From 1, in the order of the set. */
  readonly number: number;
  readonly question: string;
  readonly truth: string;
  /** Name of the file that answers it; null where the set does not say. */
  readonly file: string | null;
  /** From 1; null for any page. */
  readonly page: number | null;
}

/** @throws CliProblem that names the row that is wrong */
export async function readQuestions(
  path: string,
  format: string | undefined,
  io: Io,
): Promise<readonly TestQuestion[]> {
  const questions: TestQuestion[] = [];
  for (const { rows, name } of await rowSources([path], format, io)) {
    for await (const row of rows(() => undefined)) {
      questions.push(questionOf(row, questions.length + 1, name));
    }
  }
  if (questions.length === 0) throw new CliProblem(`${path} has no questions.`);
  return questions;
}

function questionOf(row: JsonObject, number: number, name: string): TestQuestion {
  const wrong = (reason: string) => new CliProblem(`Row ${number} of ${name} ${reason}.`);
  const [question, truth, file] = [textOf(row.question), textOf(row.answer), textOf(row.file)];
  if (question === null) throw wrong('has no question');
  if (truth === null) throw wrong('has no answer');
  const page = row.page ?? null;
  if (page !== null && (typeof page !== 'number' || !Number.isInteger(page) || page < 1))
    throw wrong('has an invalid page: expected a whole number of at least 1');
  if (page !== null && file === null) throw wrong('has a page, but no file');
  return { number, question, truth, file, page };
}

/** Cells like `4` are read as numbers. Null for what is absent or blank. */
function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.trim() === '' ? null : text;
}
