// What the server answers when it refuses: one form for all its families of error bodies.

/** A refusal or failure of a request. */
export class Problem extends Error {
  readonly status: number;
  /** Empty where the answer has none. */
  readonly requestId: string;

  constructor(status: number, message: string, requestId: string) {
    super(message);
    this.status = status;
    this.requestId = requestId;
  }
}

/** Status of a request that no server answered. */
export const UNREACHABLE = 0;
const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;

/** True for what may be over at the next try: nothing that the request itself is to blame for. */
export function isPassing({ status }: Problem): boolean {
  return status === UNREACHABLE || status === TOO_MANY_REQUESTS || status >= SERVER_ERROR;
}

export async function problemOf(response: Response): Promise<Problem> {
  const text = await response.text();
  return new Problem(
    response.status,
    messageIn(text) ?? `The server answered ${response.status}.`,
    response.headers.get('x-request-id') ?? '',
  );
}

export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem(UNREACHABLE, error instanceof Error ? error.message : String(error), '');
}

/** Bodies are `{message}`, `{error: {message}}` or text. */
function messageIn(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return messageOf(body) ?? messageOf(memberOf(body, 'error'));
  } catch {
    return text === '' ? undefined : text.slice(0, 500);
  }
}

function messageOf(value: unknown): string | undefined {
  const message = memberOf(value, 'message');
  return typeof message === 'string' ? message : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
