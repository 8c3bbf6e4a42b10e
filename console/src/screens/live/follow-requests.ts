// Follows the requests of the project: server-sent events, read from a fetch, since an EventSource sends no token.
import { requestSignedIn } from '../../api/call.ts';
import { isPassing, Problem, problemOf, UNREACHABLE } from '../../api/problem.ts';

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

export interface Follower {
  readonly onSeen: (requests: readonly SeenRequest[]) => void;
  /** Hears why the server refuses for now, at each try, and undefined once it answers. */
  readonly onRefused: (problem: Problem | undefined) => void;
}

/**
 * Runs until the signal; goes on after the server was away or busy, and after a new sign-in, with all that the server
 * remembers: some may have been seen.
 * @throws Problem for a refusal that another try would not end
 */
export async function followRequests(
  after: number,
  signal: AbortSignal,
  { onSeen, onRefused }: Follower,
): Promise<void> {
  let last = after;
  while (!signal.aborted) {
    try {
      const answer = await openStream(last, signal);
      onRefused(undefined);
      for await (const seen of eventsIn(answer)) {
        last = seen.at(-1)?.number ?? last;
        onSeen(seen);
      }
      continue;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Problem && !isPassing(error)) throw error;
      // That no server answers, the page says as a whole.
      if (error instanceof Problem && error.status !== UNREACHABLE) onRefused(error);
      // A server that has started anew counts anew, and may have come as far as before.
      last = 0;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** @throws Problem */
async function openStream(after: number, signal: AbortSignal): Promise<NonNullable<Response['body']>> {
  const { response } = await requestSignedIn('GET', 'console/requests', {
    query: { after: String(after), seconds: ANSWER_SECONDS },
    signal,
  });
  if (!response.ok || response.body === null) throw await problemOf(response);
  return response.body;
}

async function* eventsIn(body: NonNullable<Response['body']>): AsyncGenerator<readonly SeenRequest[]> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
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
