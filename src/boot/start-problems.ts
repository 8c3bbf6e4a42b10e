// The message and the exit code of a failed start, or of a command that fails as starts do.

import { IndexPortsTaken } from '../app/indexes/index-lifecycle.ts';
import { BlobsUnavailable } from '../blobs/port.ts';
import { CatalogOpenError } from '../catalog/port.ts';
import { systemFault } from '../domain/faults/system-faults.ts';
import { Fault } from '../domain/faults.ts';
import { EngineOpenError } from '../engine/postgres/open-error.ts';
import { SettingsProblem } from './read-settings.ts';

const EXIT_FAILED = 1;
/** For wrong settings, as for a wrong command line. */
const EXIT_MISUSED = 2;

const OUT_OF_FILES =
  'the system lets this process open too few files. Raise the limit (ulimit -n, LimitNOFILE), or set PINYON_PUBLIC_DOMAIN, with which indexes need no ports.';

/** A failure whose message addresses the person who starts the server. */
export class StartProblem extends Error {}

/** Their messages say what to do. */
const KNOWN_PROBLEMS = [StartProblem, BlobsUnavailable, CatalogOpenError, EngineOpenError, IndexPortsTaken];

export interface ExitMessage {
  readonly text: string;
  readonly exitCode: number;
}

/**
 * A known problem gets a sentence; an unknown one keeps its stack for a bug report.
 * @param failure what did not work, as the beginning of the sentence
 */
export function exitMessageFor(error: unknown, failure = 'Pinyon cannot start'): ExitMessage {
  if (error instanceof SettingsProblem) {
    const lines = error.problems.map((problem) => `  ${problem}`);
    const text = [`${failure} with these settings:`, ...lines, 'See pinyon settings.'].join('\n');
    return { text, exitCode: EXIT_MISUSED };
  }
  return { text: `${failure}: ${reasonOf(error)}`, exitCode: EXIT_FAILED };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (systemFault(error)?.condition === 'out-of-files') return OUT_OF_FILES;
  // The range has fewer ports than there are indexes that need one.
  if (error instanceof Fault && error.condition === 'index-ports-exhausted') return error.message;
  return KNOWN_PROBLEMS.some((kind) => error instanceof kind)
    ? error.message
    : (error.stack ?? error.message);
}

const NO_ADDRESS: ReadonlySet<unknown> = new Set([
  'EADDRNOTAVAIL',
  'EAFNOSUPPORT',
  'EAI_AGAIN',
  'EINVAL',
  'ENOTFOUND',
]);
const LISTENING: ReadonlySet<unknown> = new Set(['bind', 'getaddrinfo', 'listen']);

/** The problem of a port that cannot be opened; other errors unchanged. @param ports what sets it, and which one it is */
export function portProblem(
  error: unknown,
  bind: string,
  ports: { readonly setting: string; readonly port: number | null },
): unknown {
  const { code, syscall, port = ports.port } = listenError(error);
  if (!LISTENING.has(syscall)) return error;
  const address = port === null ? bind : `port ${port} on ${bind}`;
  if (code === 'EADDRINUSE') {
    return new StartProblem(
      `another process listens on ${address}. Stop it, or set ${ports.setting} to other ports.`,
    );
  }
  if (code === 'EACCES') {
    return new StartProblem(
      `this user may not listen on ${address}. Set ${ports.setting} to ports above 1023.`,
    );
  }
  if (NO_ADDRESS.has(code)) {
    return new StartProblem(`${bind} is not an address of this machine. Set PINYON_BIND to one that is.`);
  }
  return error;
}

interface ListenError {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly port?: number;
}

function listenError(error: unknown): ListenError {
  return error instanceof Error ? (error as ListenError) : {};
}
