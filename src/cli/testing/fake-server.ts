// A server that answers as a test wants, and commands that run in this process and ask it.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { Io } from '../command.ts';
import { runLine } from '../line/run-line.ts';
import { COMMAND_GROUPS } from '../table/command-table.ts';

/** Serves while `use` runs. */
export async function withServer(
  listener: RequestListener,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    await use(`http://localhost:${port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** The streams of a command that nobody looks at. */
export function silentIo(fields: Partial<Io> = {}): Io {
  return {
    environment: {},
    out: () => undefined,
    err: () => undefined,
    control: () => undefined,
    outColumns: null,
    columns: null,
    input: null,
    signal: new AbortController().signal,
    ...fields,
  };
}

/** Runs a command without a terminal. @param input what is piped in; null for nothing */
export async function runCommand(
  url: string,
  words: readonly string[],
  input: string | null = null,
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
  const texts: string[] = [];
  const errors: string[] = [];
  const environment = { PINYON_URL: url, PINYON_API_KEY: 'key', XDG_CONFIG_HOME: '/nowhere' };
  const io = silentIo({
    environment,
    out: (text) => texts.push(text),
    err: (text) => errors.push(text),
    input: input === null ? null : Readable.from([Buffer.from(input)]),
  });
  const code = await runLine(words, { groups: COMMAND_GROUPS, version: '0' }, io);
  return { code, out: texts.join(''), err: errors.join('') };
}
