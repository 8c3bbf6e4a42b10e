// Fetches whose time is bounded by silence: until the head of the answer arrives, and between pieces of its body.

import { CliProblem } from '../command.ts';

export interface TimeLimits {
  /** From the start, sending included, to the head of the answer. */
  readonly headMs: number;
  /** From one piece of the body to the next, while the reader waits for it. */
  readonly idleMs: number;
}

/** As `fetch`. @throws DOMException TimeoutError after the head's limit; reading the body, CliProblem where it breaks off */
export async function fetchWithin(
  url: string,
  { signal, ...init }: RequestInit & { readonly signal: AbortSignal },
  { headMs, idleMs }: TimeLimits,
): Promise<Response> {
  const silence = new AbortController();
  const within = async <Result>(limitMs: number, work: Promise<Result>): Promise<Result> => {
    const reason = new DOMException(`The server sent nothing for ${limitMs / 1_000} s`, 'TimeoutError');
    const timer = setTimeout(() => silence.abort(reason), limitMs);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  };
  const signals = AbortSignal.any([signal, silence.signal]);
  const answer = await within(headMs, fetch(url, { ...init, signal: signals }));
  const reader = answer.body?.getReader();
  if (reader === undefined) return answer;
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await within(idleMs, reader.read()).catch((error: Error) => {
        if (signal.aborted) throw error;
        throw new CliProblem(`The answer of ${url} broke off: ${error.message}.`, undefined, error);
      });
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, answer);
}
