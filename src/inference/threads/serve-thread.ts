// The thread's side: starts, answers requests one after the other, and tells failures in plain parts.
import type { MessagePort, Transferable } from 'node:worker_threads';
import { TooLong } from '../trouble.ts';
import type { ThreadFailure, ThreadMessage, ThreadRequest } from './protocol.ts';
import { stepBack } from './step-back.ts';

export interface ThreadWork<Request> {
  /** What the other side learns of the start. */
  readonly facts: unknown;
  readonly answer: (request: Request) => Promise<ThreadAnswer> | ThreadAnswer;
}

export interface ThreadAnswer {
  readonly answer: unknown;
  readonly transfer?: readonly Transferable[];
}

/** Requests that come while `start` runs wait for it. */
export async function serveThread<Request>(
  port: MessagePort,
  start: () => Promise<ThreadWork<Request>>,
): Promise<void> {
  const tell = (message: ThreadMessage, transfer: Transferable[] = []) => port.postMessage(message, transfer);
  stepBack();
  try {
    const work = await start();
    tell({ type: 'started', facts: work.facts });
    let turn: Promise<void> = Promise.resolve();
    port.on('message', ({ callId, request }: ThreadRequest) => {
      turn = turn.then(async () => {
        try {
          const { answer, transfer } = await work.answer(request as Request);
          tell({ type: 'answer', callId, answer }, transfer && [...transfer]);
        } catch (error) {
          tell({ type: 'failure', callId, failure: failureOf(error) });
        }
      });
    });
  } catch (error) {
    tell({ type: 'not-started', reason: reasonOf(error) });
  }
}

function failureOf(error: unknown): ThreadFailure {
  if (!(error instanceof TooLong)) return { kind: 'failed', reason: reasonOf(error) };
  const { position, tokens, tokensMax } = error;
  return { kind: 'too-long', position, tokens, tokensMax };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
