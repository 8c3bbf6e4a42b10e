// Calls a tool: checks its arguments, bounds its time, and turns its answer or its failure into a result.
import { checkBody } from '../api/schema/check-body.ts';
import type { JsonObject } from '../domain/json.ts';
import { boundErrors, typeErrors } from './argument-errors.ts';
import { CALL_SECONDS_MAX } from './limits.ts';
import { type Ask, type Tool, ToolError, type ToolRequest } from './tool.ts';

const MILLISECONDS_PER_SECOND = 1_000;
const NOT_FOUND = 404;
const FORBIDDEN = 403;
const UNAUTHENTICATED = 401;
const OVERLOADED = 429;
const FIRST_SERVER_STATUS = 500;

const LIST_NAMES = 'Call list_indexes, list_namespaces or list_assistants for the names that exist.';

/** The outcomes that metrics count. */
export type Outcome = 'ok' | 'refused' | 'failed';

export interface ToolResult {
  readonly text: string;
  /** Null for failures. */
  readonly answer: JsonObject | null;
  readonly outcome: Outcome;
}

/** Sends a request; `signal` aborts when the time of the call is over or its client has gone. */
export type Send = (request: ToolRequest, signal: AbortSignal) => Promise<JsonObject>;

export interface ToolCall {
  readonly args: unknown;
  readonly send: Send;
  readonly signal: AbortSignal;
}

/** Never rejects for what a caller can mend. @throws what `send` throws beside ToolError */
export async function callTool(tool: Tool, { args, send, signal }: ToolCall): Promise<ToolResult> {
  const checked = checkBody(tool.input, args ?? {});
  const errors = checked.isValid
    ? boundErrors(tool.input, checked.body)
    : typeErrors(tool.input, checked.errors);
  if (!checked.isValid || errors.length > 0) {
    return failed(`Invalid arguments of ${tool.name}: ${errors.join('; ')}.`, 'refused');
  }
  const late = AbortSignal.timeout(CALL_SECONDS_MAX * MILLISECONDS_PER_SECOND);
  const ask: Ask = (request) => send(request, AbortSignal.any([late, signal]));
  try {
    const answer = await tool.call(checked.body as JsonObject, ask);
    return { text: JSON.stringify(answer), answer, outcome: 'ok' };
  } catch (error) {
    if (late.aborted) {
      return failed(`The call took longer than ${CALL_SECONDS_MAX} seconds. Ask for less at once.`, 'failed');
    }
    if (!(error instanceof ToolError)) throw error;
    const outcome = (error.status ?? 0) >= FIRST_SERVER_STATUS ? 'failed' : 'refused';
    return failed(withAdvice(error, tool), outcome);
  }
}

function failed(text: string, outcome: Outcome): ToolResult {
  return { text, answer: null, outcome };
}

/** Adds what a language model can do about a refusal, where its message does not tell. */
function withAdvice({ message, status }: ToolError, tool: Tool): string {
  const advice = adviceOn(status, tool);
  return advice === '' ? message : `${message.replace(/[.!?]?$/, '.')} ${advice}`;
}

function adviceOn(status: number | null, { notFoundAdvice = LIST_NAMES }: Tool): string {
  switch (status) {
    case UNAUTHENTICATED:
      return 'The API key of this connection is not valid: tell the user.';
    case FORBIDDEN:
      return 'The role of this API key does not allow it: tell the user instead of trying again.';
    case NOT_FOUND:
      return notFoundAdvice;
    case OVERLOADED:
      return 'The service is busy: wait a few seconds, then try again.';
    default:
      return '';
  }
}
