// The questions of the bench: one half to tune on, one held out, some that no file answers.
import { readFileSync } from 'node:fs';

export const HALVES = ['tuning', 'held-out'] as const;

export interface Question {
  readonly half: (typeof HALVES)[number];
  readonly question: string;
  /** The question before, which a follow-up needs. */
  readonly before?: string;
  /** Absent when no file answers. */
  readonly file?: string;
  /** Any of them, in files that have pages. */
  readonly pages?: readonly number[];
  /** What the answer contains; white space does not count. */
  readonly holds?: string;
}

export function questions(): readonly Question[] {
  const file = new URL('questions.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as readonly Question[];
}
