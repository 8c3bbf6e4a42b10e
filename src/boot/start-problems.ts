// Why a start failed, in words for the person at the terminal, and the exit code that goes with it.

import { IndexPortsTaken } from '../app/indexes/index-lifecycle.ts';
import { CatalogOpenError } from '../catalog/port.ts';
import { SettingsProblem } from './settings.ts';

const EXIT_FAILED = 1;
/** Wrong settings, as a wrong command line is by convention. */
const EXIT_MISUSED = 2;

/** A failure whose message is written for the person who starts the server. */
export class StartProblem extends Error {}

export interface Farewell {
  readonly text: string;
  readonly exitCode: number;
}

/** Known problems get a sentence; an unknown one keeps its stack, for whoever is asked about it. */
export function farewellFor(error: unknown): Farewell {
  if (error instanceof SettingsProblem) {
    const lines = error.problems.map((problem) => `  ${problem}`);
    const text = ['Pinyon cannot start with these settings:', ...lines, 'See pinyon --help.'].join('\n');
    return { text, exitCode: EXIT_MISUSED };
  }
  const isKnown =
    error instanceof StartProblem || error instanceof CatalogOpenError || error instanceof IndexPortsTaken;
  const reason = isKnown
    ? error.message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);
  return { text: `Pinyon cannot start: ${reason}`, exitCode: EXIT_FAILED };
}

/** The problem of a port that cannot be opened. */
export function portProblem(error: unknown, bind: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const place = `port ${port} on ${bind}`;
  if (code === 'EADDRINUSE') {
    return new StartProblem(
      `another process listens on ${place}. Stop it, or set PINYON_PORT to another port.`,
    );
  }
  if (code === 'EACCES') {
    return new StartProblem(`${place} is not allowed to this user. Set PINYON_PORT to a port above 1023.`);
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new StartProblem(`${bind} is no address of this machine. Set PINYON_BIND to one that is.`);
  }
  return error;
}
