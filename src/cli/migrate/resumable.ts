// Copying that goes on where it was when the same command is run again.
import { CliProblem, type Io, RESUMABLE } from '../command.ts';
import { problemOf } from '../line/problem-of.ts';
import type { MigrationState } from './migration-state.ts';

/**
 * Copies, and saves the state however that ends.
 * @throws CliProblem with the reason of the copying, and how to go on; the signal's reason
 */
export async function resumable(
  state: Pick<MigrationState, 'save'>,
  io: Pick<Io, 'err'>,
  copy: () => Promise<void>,
): Promise<void> {
  try {
    await copy();
    await state.save();
  } catch (error) {
    const problem = problemOf(error);
    const unsaved = await state.save().then(() => null, problemOf);
    if (unsaved !== null && unsaved.message !== problem?.message)
      io.err(`The progress was not saved: ${unsaved.message}\n`);
    if (problem === null) throw error;
    throw new CliProblem(`${problem.message} ${RESUMABLE}`, problem.exitCode, error);
  }
}
