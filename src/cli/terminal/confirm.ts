// Asks before something is destroyed.
import { createInterface } from 'node:readline/promises';
import { CliProblem, type Io, type ParsedWords } from '../command.ts';

/** Option of commands that ask. */
export const YES = { yes: { about: 'Do not ask' } };

/** @param what a sentence on what will happen @throws CliProblem unless a person or --yes agrees */
export async function confirm(words: ParsedWords, io: Io, what: string): Promise<void> {
  if (words.flag('yes')) return;
  if (io.input !== null || io.columns === null)
    throw new CliProblem(`${what} Give --yes to carry it out. Nothing was changed.`);
  const questions = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await questions.question(`${what} Carry it out? (yes/no) `, { signal: io.signal });
    if (!/^y(es)?$/i.test(answer.trim())) throw new CliProblem('Nothing was changed.');
  } finally {
    questions.close();
  }
}
