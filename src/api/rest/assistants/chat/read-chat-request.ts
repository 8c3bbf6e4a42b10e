// Reads requests to chats, completions and context: checks fields and applies defaults by version.

import type { ChatRequest, ContextQuestion } from '../../../../app/assistants/chat/chat-service.ts';
import { isAtLeast, type RequestedVersion } from '../../../../domain/api-version.ts';
import {
  CONTEXT_TOP_K_DEFAULT,
  CONTEXT_TOP_K_DEFAULT_2025_01,
  CONTEXT_TOP_K_MAX,
  SNIPPET_TOKENS_DEFAULT,
  SNIPPET_TOKENS_MAX,
  SNIPPET_TOKENS_MIN,
  TEMPERATURE_DEFAULT,
  TEMPERATURE_MAX,
} from '../../../../domain/assistants/limits.ts';
import { invalid } from '../../../../domain/faults.ts';
import { parseOptionalFilter } from '../../../../domain/filter/parse-filter.ts';
import { isJsonObject, type JsonObject } from '../../../../domain/json.ts';
import {
  booleanField,
  checkInteger,
  field,
  optionalObject,
  optionalString,
} from '../../records/request-fields.ts';
import type { AssistantCall } from '../assistant-endpoint.ts';
import { readMessages, readOpenAiMessages } from './read-messages.ts';
import {
  readIncludeUsage,
  readModelOptions,
  readResponseFormat,
  refuseUnserved,
} from './read-model-options.ts';

type Call = Pick<AssistantCall, 'version' | 'body' | 'signal'>;

type ContextOptions = Pick<ContextQuestion, 'topK' | 'snippetTokens' | 'pictures'>;

export interface ReadCompletion {
  readonly request: ChatRequest;
  readonly stream: boolean;
  /** Whether the stream tells the tokens at its end. */
  readonly includeUsage: boolean;
}

export interface ReadChat extends Omit<ReadCompletion, 'includeUsage'> {
  readonly highlights: boolean;
}

/** @throws invalid-argument */
export function readChat(call: Call): ReadChat {
  const body = objectOf(call.body);
  const { request, stream } = readQuestion(call, readMessages(body));
  const isJson = booleanField(body, 'json_response');
  if (isJson && stream) throw invalid('json_response is not available with stream.');
  const options = optionalObject(body, 'context_options') ?? {};
  return {
    request: { ...request, ...readContextOptions(options, call.version), isJson },
    stream,
    highlights: booleanField(body, 'include_highlights'),
  };
}

/** @throws invalid-argument */
export function readCompletion(call: Call): ReadCompletion {
  const body = objectOf(call.body);
  refuseUnserved(body);
  const { request, stream } = readQuestion(call, readOpenAiMessages(body));
  const { isJson, jsonSchema } = readResponseFormat(body);
  const options = { ...readModelOptions(body), ...(jsonSchema !== undefined && { jsonSchema }) };
  return {
    request: { ...request, isJson, ...(Object.keys(options).length > 0 && { options }) },
    stream,
    includeUsage: readIncludeUsage(body, stream),
  };
}

/** Reads what all chats share. */
function readQuestion(
  { body: json, version, signal }: Call,
  messages: ChatRequest['messages'],
): { readonly request: ChatRequest; readonly stream: boolean } {
  const body = objectOf(json);
  const request = {
    messages,
    model: optionalString(body, 'model'),
    temperature: readTemperature(body),
    filter: parseOptionalFilter(body.filter),
    isJson: false,
    ...(booleanField(body, 'mark_unsupported') && { marksUnsupported: true }),
    ...readContextOptions({}, version),
    signal,
  };
  return { request, stream: booleanField(body, 'stream') };
}

/** @throws invalid-argument */
export function readContext({ body: json, version, signal }: Call): ContextQuestion {
  const body = objectOf(json);
  const filter = parseOptionalFilter(body.filter);
  return { messages: asked(body), filter, ...readContextOptions(body, version), signal };
}

/** An empty text or list means none, since some clients omit a field that way. */
function asked(body: JsonObject): ContextQuestion['messages'] {
  const query = optionalString(body, 'query') ?? '';
  const messages = field(body, 'messages') ?? [];
  const hasMessages = !Array.isArray(messages) || messages.length > 0;
  if ((query !== '') === hasMessages) throw invalid('Exactly one of query and messages must be given.');
  if (hasMessages) return readMessages(body);
  if (query.trim() === '') throw invalid('query must not be blank.');
  return [{ role: 'user', content: query }];
}

/** @throws invalid-argument */
function readContextOptions(options: JsonObject, version: RequestedVersion): ContextOptions {
  const topKDefault = isAtLeast(version, '2025-04') ? CONTEXT_TOP_K_DEFAULT : CONTEXT_TOP_K_DEFAULT_2025_01;
  const multimodal = flag(options, 'multimodal') ?? true;
  const binary = flag(options, 'include_binary_content') ?? multimodal;
  if (binary && !multimodal) throw invalid('include_binary_content is only available with multimodal.');
  // Older clients fail on snippets with pictures.
  const isShown = multimodal && isAtLeast(version, '2025-10');
  return {
    topK: checkInteger(field(options, 'top_k') ?? topKDefault, 'top_k', { min: 1, max: CONTEXT_TOP_K_MAX }),
    snippetTokens: checkInteger(field(options, 'snippet_size') ?? SNIPPET_TOKENS_DEFAULT, 'snippet_size', {
      min: SNIPPET_TOKENS_MIN,
      max: SNIPPET_TOKENS_MAX,
    }),
    pictures: isShown ? (binary ? 'whole' : 'captions') : 'none',
  };
}

function flag(options: JsonObject, name: string): boolean | undefined {
  return field(options, name) === undefined ? undefined : booleanField(options, name);
}

export function readTemperature(body: JsonObject): number {
  const value = field(body, 'temperature') ?? TEMPERATURE_DEFAULT;
  if (typeof value !== 'number' || value < 0 || value > TEMPERATURE_MAX) {
    throw invalid(`temperature must be a number from 0 to ${TEMPERATURE_MAX}.`);
  }
  return value;
}

export function objectOf(body: unknown): JsonObject {
  if (isJsonObject(body)) return body;
  throw invalid('The request body must be a JSON object.');
}
