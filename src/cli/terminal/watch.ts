// Waits for a job on the server, and shows its progress until it ends.

import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '../../domain/json.ts';
import { CliProblem, type Io } from '../command.ts';
import { Progress } from './progress.ts';

const FIRST_PAUSE_MS = 200;
const PAUSE_MS_MAX = 2_000;

export interface Watched {
  /** The label in front of the bar. */
  readonly what: string;
  readonly look: () => Promise<JsonObject>;
  readonly percentOf: (state: JsonObject) => number;
  readonly detailOf: (state: JsonObject) => string;
  readonly hasEnded: (state: JsonObject) => boolean;
}

/** Resolves to the last state. */
export async function watch(
  { what, look, percentOf, detailOf, hasEnded }: Watched,
  io: Io,
): Promise<JsonObject> {
  const progress = new Progress(io, what);
  try {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(PAUSE_MS_MAX, pauseMs * 1.5)) {
      const state = await look();
      progress.show(percentOf(state), detailOf(state));
      if (hasEnded(state)) return state;
      await pause(pauseMs, undefined, { signal: io.signal });
    }
  } finally {
    progress.end();
  }
}

/** The problem of a job that did not complete, with the reason that the server gives. */
export function endedOtherwise(what: string, { status, error }: JsonObject): CliProblem {
  const reason = typeof error === 'string' ? `: ${error.replace(/\.$/, '')}` : '';
  return new CliProblem(`${what} ended as ${status}${reason}.`);
}

export function count(value: unknown): string {
  return Number(value ?? 0).toLocaleString('en-US');
}

/** A count with its noun: `1 record`, `2,000 records`. */
export function counted(value: unknown, what: string): string {
  return `${count(value)} ${what}${Number(value) === 1 ? '' : 's'}`;
}
