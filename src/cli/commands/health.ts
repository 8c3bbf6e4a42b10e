// pinyon health: tells whether a server answers, for scripts, container runtimes and supervisors.
import { get as getPlain } from 'node:http';
import { get as getByTls } from 'node:https';
import { readWords } from '../arguments.ts';
import { CliProblem, EXIT_DONE, EXIT_MISUSED, EXIT_UNREACHABLE, type Io } from '../command.ts';
import { print } from '../print.ts';

const HELP = `
Usage: pinyon health

Exits with 0 when the server is ready, and with 3 when none answers. Needs no key. Without an address, it asks the
server that the settings in the environment (PINYON_PORT, PINYON_TLS_CERT) would start on this machine.
`;

const PORT_PRESET = '5080';
const ANSWER_MS_MAX = 5_000;
const STATUS_OK = 200;

export async function health(line: readonly string[], io: Io): Promise<number> {
  const words = readWords(line, { help: HELP, positionalsMin: 0, positionalsMax: 0 }, io);
  if (words === null) return EXIT_DONE;
  const url = words.text('url') ?? (io.environment.PINYON_URL || ownUrl(io.environment));
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new CliProblem(`${url} is not a URL: expected http:// or https:// at its start.`, EXIT_MISUSED);
  }
  const status = await statusOf(new URL('/health', url), io.signal);
  if (status !== STATUS_OK) {
    throw new CliProblem(`The server at ${url} answers ${status}.`, EXIT_UNREACHABLE);
  }
  print(words, io, { json: { status: 'ok', url }, text: `The server at ${url} is ready.` });
  return EXIT_DONE;
}

function ownUrl({ PINYON_PORT, PINYON_TLS_CERT }: Io['environment']): string {
  return `${PINYON_TLS_CERT ? 'https' : 'http'}://localhost:${PINYON_PORT || PORT_PRESET}`;
}

/** @throws CliProblem when nobody answers */
function statusOf(url: URL, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    // Nothing secret is sent, and no certificate is for localhost.
    const options = { signal, timeout: ANSWER_MS_MAX, rejectUnauthorized: false };
    const request = (url.protocol === 'https:' ? getByTls : getPlain)(url, options, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.once('timeout', () => request.destroy(new Error(`no answer in ${ANSWER_MS_MAX / 1_000} s`)));
    request.once('error', (error) => {
      const { code } = error as NodeJS.ErrnoException;
      const reason = `No server responds at ${url.origin}: ${code ?? error.message}.`;
      reject(new CliProblem(reason, EXIT_UNREACHABLE, error));
    });
  });
}
