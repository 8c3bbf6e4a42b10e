// The streams and signals of this process, as commands use them.
import { EXIT_DONE, EXIT_FAILED, type Io } from './command.ts';
import { named } from './files/write-files.ts';
import { problemOf } from './line/problem-of.ts';
import { terminalText } from './terminal/controls.ts';

/** For terminals that report no width. */
const COLUMNS_PRESET = 80;

/** The first interrupt ends the command in order, the second at once. */
export function processIo(): Io {
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort(new Error('interrupted')));
  endWithReader();
  const streams = { out: process.stdout, err: process.stderr };
  return {
    environment: process.env,
    out: writerTo(process.stdout),
    err: writerTo(process.stderr),
    control: (stream, sequence) => void streams[stream].write(sequence),
    get outColumns() {
      return widthOf(process.stdout);
    },
    get columns() {
      return widthOf(process.stderr);
    },
    get input() {
      return process.stdin.isTTY ? null : process.stdin;
    },
    signal: interrupt.signal,
  };
}

/** Writes texts to a stream; where it is a terminal, without what would steer it. */
export function writerTo(stream: {
  readonly isTTY: boolean;
  readonly write: (text: string) => unknown;
}): (text: string) => void {
  return (text) => void stream.write(stream.isTTY ? terminalText(text) : text);
}

function widthOf({ isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>): number | null {
  return isTTY ? columns || COLUMNS_PRESET : null;
}

/**
 * `pinyon record list films | head` ends when head has seen enough, without an error. Where nobody reads progress and errors,
 * or the disk has no room for them, the command goes on: its result and its exit code are elsewhere.
 */
function endWithReader(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT_DONE);
    const { message = error.message } = problemOf(named(error, 'Standard output')) ?? {};
    process.stderr.write(`${message}\n`);
    process.exit(EXIT_FAILED);
  });
}
