// pinyon health: tells whether a server answers, for scripts, container runtimes and supervisors.
import { get as getPlain } from 'node:http';
import { get as getByTls, type RequestOptions } from 'node:https';
import { connectionOf } from '../client/connection.ts';
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
  const { url } = await connectionOf(words, { ...io, environment: withOwnUrl(io.environment) });
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new CliProblem(`${url} is not a URL: expected http:// or https:// at its start.`, EXIT_MISUSED);
  }
  const status = await statusOf(new URL('/health', url), {
    signal: io.signal,
    timeout: ANSWER_MS_MAX,
    // Without --ca: nothing secret is sent, and no certificate is for localhost.
    rejectUnauthorized: words.text('ca') !== undefined,
  });
  if (status !== STATUS_OK) {
    throw new CliProblem(`The server at ${url} answers ${status}.`, EXIT_UNREACHABLE);
  }
  print(words, io, { json: { status: 'ok', url }, text: `The server at ${url} is ready.` });
  return EXIT_DONE;
}

/** The environment with the address of the server that its settings would start, unless it names one or has none. */
function withOwnUrl(environment: Io['environment']): Io['environment'] {
  const { PINYON_URL, PINYON_PORT, PINYON_TLS_CERT } = environment;
  if (PINYON_URL || !(PINYON_PORT || PINYON_TLS_CERT)) return environment;
  const scheme = PINYON_TLS_CERT ? 'https' : 'http';
  return { ...environment, PINYON_URL: `${scheme}://localhost:${PINYON_PORT || PORT_PRESET}` };
}

/** @throws CliProblem when nobody answers, or with a certificate that is not trusted */
function statusOf(url: URL, options: RequestOptions): Promise<number> {
  return new Promise((resolve, reject) => {
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
