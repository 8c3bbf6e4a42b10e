// pinyon health: tells whether a server answers, for scripts, container runtimes and supervisors.
import { get as getPlain } from 'node:http';
import { get as getByTls } from 'node:https';
import { connectionProblem } from '../client/network-errors.ts';
import {
  CliProblem,
  EXIT_DONE,
  EXIT_MISUSED,
  EXIT_UNREACHABLE,
  type Io,
  type ParsedWords,
} from '../command.ts';
import { print } from '../terminal/print.ts';

const PORT_PRESET = '5080';
const ANSWER_MS_MAX = 5_000;
const STATUS_OK = 200;

export async function health(words: ParsedWords, io: Io): Promise<number> {
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
      reject(new CliProblem(connectionProblem(error, url.origin), EXIT_UNREACHABLE, error));
    });
  });
}
