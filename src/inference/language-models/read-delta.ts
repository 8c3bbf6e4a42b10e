// Parses an event of a streamed answer, or a whole answer.

import type { AnswerUsage, FinishReason, ToolCallDelta } from '../../domain/inference/language-model.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { ProviderError } from '../provider-errors.ts';

export interface Delta {
  /** Whether it is part of an answer; an event may count tokens alone. */
  readonly hasChoice: boolean;
  readonly text: string;
  /** Said instead of an answer. */
  readonly refusal: string;
  readonly toolCalls: readonly ToolCallDelta[];
  readonly finishReason: FinishReason | null;
  readonly usage: AnswerUsage | null;
}

/** Calls of tools in an answer; further ones count as the last. */
const TOOL_CALLS_MAX = 128;

const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content_filter', 'content_filter'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
]);

/** @throws ProviderError when the JSON is not an event of an answer */
export function readDelta(json: unknown): Delta {
  const event = objectOf(json);
  if (event === null) throw new ProviderError('broken', 'its answer is no stream of events');
  // Some endpoints report errors in the stream. The text may contain anything, even the key, so it is not quoted.
  if (event.error !== undefined && event.error !== null) {
    throw new ProviderError('down', 'it ended its answer with an error');
  }
  const choices: readonly unknown[] = Array.isArray(event.choices) ? event.choices : [];
  const choice = objectOf(choices[0]) ?? {};
  const said = objectOf(choice.delta) ?? objectOf(choice.message);
  const finishReason = finishReasonOf(choice.finish_reason);
  return {
    hasChoice: said !== null || finishReason !== null,
    ...saidIn(said ?? {}),
    finishReason,
    usage: usageOf(objectOf(event.usage)),
  };
}

function saidIn(said: JsonObject): Pick<Delta, 'text' | 'refusal' | 'toolCalls'> {
  return {
    text: typeof said.content === 'string' ? said.content : '',
    refusal: typeof said.refusal === 'string' ? said.refusal : '',
    toolCalls: toolCallsOf(said.tool_calls),
  };
}

function finishReasonOf(reason: unknown): FinishReason | null {
  return typeof reason === 'string' ? (FINISH_REASONS.get(reason) ?? 'stop') : null;
}

/** Some providers number the calls of a whole answer by their order alone. */
function toolCallsOf(calls: unknown): readonly ToolCallDelta[] {
  if (!Array.isArray(calls)) return [];
  return calls.slice(0, TOOL_CALLS_MAX).flatMap((call: unknown, at) => {
    const { index, id, function: called } = objectOf(call) ?? {};
    const { name, arguments: text } = objectOf(called) ?? {};
    return {
      index: isCount(index) ? Math.min(index, TOOL_CALLS_MAX - 1) : at,
      ...(typeof id === 'string' && id !== '' && { id }),
      ...(typeof name === 'string' && name !== '' && { name }),
      arguments: typeof text === 'string' ? text : text === undefined ? '' : JSON.stringify(text),
    };
  });
}

function usageOf(usage: JsonObject | null): AnswerUsage | null {
  const [promptTokens, completionTokens] = [usage?.prompt_tokens, usage?.completion_tokens];
  return isCount(promptTokens) && isCount(completionTokens) ? { promptTokens, completionTokens } : null;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function objectOf(value: unknown): JsonObject | null {
  return isJsonObject(value) ? value : null;
}
