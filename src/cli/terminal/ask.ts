// Asks a person at the terminal.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Interruption, type Io } from '../command.ts';
import { terminalText } from './controls.ts';

export interface Question {
  readonly text: string;
  /** Not to show what is typed. */
  readonly isSecret?: boolean;
}

/** By default those of this process; tests pass their own. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** The line that is typed. @throws Interruption for Ctrl-C, Ctrl-D, and where the terminal is gone */
export async function ask(
  { text, isSecret = false }: Question,
  { signal }: Pick<Io, 'signal'>,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<string> {
  const prompt = terminalText(text);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: isSecret ? silent : output, terminal: true });
  // Ctrl-D closes them, and the question would never be answered.
  const closed = new Promise<never>((_, reject) => lines.once('close', () => reject(new Interruption())));
  if (isSecret) output.write(prompt);
  try {
    return await Promise.race([lines.question(isSecret ? '' : prompt, { signal }), closed]);
  } catch (error) {
    throw new Interruption({ cause: error });
  } finally {
    lines.close();
    if (isSecret) output.write('\n');
  }
}
