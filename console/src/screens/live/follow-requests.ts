// Follows the requests of the project: server-sent events, read from a fetch, since an EventSource sends no token.
import { requestSignedIn } from '../../api/call.ts';
import { Problem, problemOf, UNREACHABLE } from '../../api/problem.ts';

export interface SeenRequest {
  readonly number: number;
  readonly at: string;
  readonly method: string;
  readonly route: string;
  readonly status: number | null;
  readonly reason: string | null;
  readonly ms: number;
  readonly index: string | null;
  readonly principal_id: string;
  readonly request_id: string;
}

/** How long one answer lasts; the next one goes on where it ends. */
const ANSWER_SECONDS = '10';
const PAUSE_MS = 2_000;
const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;

/**
 * Runs until the signal; goes on after the server was away or busy, and after a new sign-in, with all that the server
 * remembers: some may have been seen.
 * @throws Problem for a refusal
 */
export async function followRequests(
  after: number,
  signal: AbortSignal,
  onSeen: (requests: readonly SeenRequest[]) => void,
): Promise<void> {
  let last = after;
  while (!signal.aborted) {
    try {
      for await (const seen of events(last, signal)) {
        last = seen.at(-1)?.number ?? last;
        onSeen(seen);
      }
      continue;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Problem && !isPassing(error)) throw error;
      // A server that has started anew counts anew, and may have come as far as before.
      last = 0;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** True for what may be over at the next try. */
function isPassing({ status }: Problem): boolean {
  return status === UNREACHABLE || status === TOO_MANY_REQUESTS || status >= SERVER_ERROR;
}

async function* events(after: number, signal: AbortSignal): AsyncGenerator<readonly SeenRequest[]> {
  const { response } = await requestSignedIn('GET', 'console/requests', {
    query: { after: String(after), seconds: ANSWER_SECONDS },
    signal,
  });
  if (!response.ok || response.body === null) throw await problemOf(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = `${rest}${value}`.split('\n\n');
    rest = parts.pop() ?? '';
    const seen = parts.flatMap(eventIn);
    if (seen.length > 0) yield seen;
  }
}

function eventIn(text: string): readonly SeenRequest[] {
  const [, number, data] = /^id: (\d+)\nevent: request\ndata: (.*)$/s.exec(text) ?? [];
  return data === undefined ? [] : [{ ...JSON.parse(data), number: Number(number) }];
}
