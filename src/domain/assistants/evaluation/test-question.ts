// A question of a question set, with its true answer and, where it is known, the file and page that answer it.
import type { JsonObject } from '../../json.ts';

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

/** @returns what is wrong with the row, where it is no question */
export function testQuestionOf(row: JsonObject, number: number): TestQuestion | { readonly problem: string } {
  const [question, truth, file] = [textOf(row.question), textOf(row.answer), textOf(row.file)];
  if (question === null) return { problem: 'has no question' };
  if (truth === null) return { problem: 'has no answer' };
  const page = row.page ?? null;
  if (page !== null && (typeof page !== 'number' || !Number.isInteger(page) || page < 1))
    return { problem: 'has an invalid page: expected a whole number of at least 1' };
  if (page !== null && file === null) return { problem: 'has a page, but no file' };
  return { number, question, truth, file, page };
}

/** Cells like `4` are read as numbers. Null for what is absent or blank. */
function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.trim() === '' ? null : text;
}
