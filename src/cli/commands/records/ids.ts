// The ids that a command is about: from its arguments, else one per line from a pipe.
import { readLines } from '../../../file-formats/jsonl/read-lines.ts';
import { CliProblem, type Io, misuse } from '../../command.ts';
import { idOfText } from '../../terminal/controls.ts';

const LINE_BYTES_MAX = 4_096;
/** Ids of one request; longer ones than these fit an address line, too. */
export const IDS_OF_REQUEST = 50;

/** Batches of ids. @throws CliProblem where there are none */
export async function* idBatches(given: readonly string[], io: Io): AsyncGenerator<readonly string[]> {
  if (given.length === 0 && io.input === null) throw misuse('Name an ID, or pipe ids in, one per line.');
  let batch: string[] = [];
  for await (const id of given.length > 0 ? given : linesOf(io.input ?? [])) {
    batch.push(id);
    if (batch.length < IDS_OF_REQUEST) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function* linesOf(input: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<string> {
  const bytes = (async function* () {
    yield* input;
  })();
  for await (const line of readLines(bytes, 0, LINE_BYTES_MAX)) {
    if (line.text === null) throw new CliProblem(`A line of the ids is ${line.problem}.`);
    const text = line.text.replace(/\r$/, '');
    if (text !== '') yield idIn(text);
  }
}

function idIn(text: string): string {
  try {
    return idOfText(text);
  } catch (error) {
    throw new CliProblem(`The id ${text} begins as a JSON string and is none.`, undefined, error);
  }
}
