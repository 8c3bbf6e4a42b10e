// Asks before something is destroyed.
import { CliProblem, type Io, type ParsedWords } from '../command.ts';
import { ask } from './ask.ts';

/** Option of commands that ask. */
export const YES = { yes: { about: 'Do not ask' } };

/** @param what a sentence on what will happen @throws CliProblem, Interruption unless a person or --yes agrees */
export async function confirm(words: ParsedWords, io: Io, what: string): Promise<void> {
  if (words.flag('yes')) return;
  if (io.input !== null || io.columns === null)
    throw new CliProblem(`${what} Give --yes to carry it out. Nothing was changed.`);
  const answer = await ask({ text: `${what} Carry it out? (yes/no) ` }, io);
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliProblem('Nothing was changed.');
}
