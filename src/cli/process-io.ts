// The streams and signals of this process, as commands use them.
import type { Io } from './command.ts';

/** For terminals that report no width. */
const COLUMNS_PRESET = 80;

/** The first interrupt ends the command in order, the second at once. */
export function processIo(): Io {
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort(new Error('interrupted')));
  endQuietlyWithReader();
  return {
    environment: process.env,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
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

function widthOf({ isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>): number | null {
  return isTTY ? columns || COLUMNS_PRESET : null;
}

/** `pinyon record list films | head` ends when head has seen enough, without an error. */
function endQuietlyWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}
