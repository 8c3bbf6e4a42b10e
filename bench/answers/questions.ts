// The questions of the bench: one half to tune on, one held out, a set about files of its own, and two about files that
// came later; some that no file answers.
import { readFileSync } from 'node:fs';

/** Those after the first two have files of their own. Of the later files, the second half was not looked into. */
export const GROUPS = [
  'tuning',
  'held-out',
  'own files',
  'other packages',
  'later files, first half',
  'later files, second half',
] as const;

export interface Question {
  readonly group: (typeof GROUPS)[number];
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

/** About the files of Debian packages. */
export function questions(): readonly Question[] {
  return questionsIn('questions.json');
}

/** About files of further packages: manuals in HTML, Markdown and PDF. */
export function otherQuestions(): readonly Question[] {
  return questionsIn('other-questions.json');
}

/** About files in eight languages: manuals, manual pages, lists of questions, news, tables. */
export function laterQuestions(): readonly Question[] {
  return questionsIn('later-questions.json');
}

/** About the files that `writeOwnFiles` writes. */
export function ownQuestions(): readonly Question[] {
  return questionsIn('own-questions.json');
}

function questionsIn(name: string): readonly Question[] {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as readonly Question[];
}
