// What is deleted stays shown for a moment: clients before 2026-04 describe it after the answer, outside of what handles
// errors, and take only a later 404 for its end.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Job } from '../../domain/jobs.ts';
import type { AssistantInput } from './assistant-jobs.ts';

/** Rejects with the signal's reason. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<unknown>;

const pauseFor: Pause = (ms, signal) => sleep(ms, undefined, { signal });

/** Waits as long as the request for a removal wants, from the request on; never longer, whatever other clocks say. */
export async function stayShown(
  { createdAt, input: { shownMs = 0 } }: Job<AssistantInput>,
  signal: AbortSignal,
  pause: Pause = pauseFor,
): Promise<void> {
  const left = Math.min(shownMs, Date.parse(createdAt) + shownMs - Date.now());
  if (left > 0) await pause(left, signal);
}
