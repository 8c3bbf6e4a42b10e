// Reads what the OpenAI form lets a caller ask of a model: length, form of the answer, tools, sampling.
import { isDeepStrictEqual } from 'node:util';
import { invalid } from '../../../../domain/faults.ts';
import type { ModelOptions } from '../../../../domain/inference/language-model.ts';
import { isJsonObject, type JsonObject } from '../../../../domain/json.ts';
import {
  booleanField,
  checkInteger,
  optionalArray,
  optionalObject,
  optionalString,
} from '../../records/request-fields.ts';

export const ANSWER_TOKENS_MAX = 1_000_000;
export const TOOLS_MAX = 128;
/** Passed on to the model as they are; built-in answers have no use for them. */
const SAMPLING = [
  'top_p',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'stop',
  'reasoning_effort',
] as const;
/** What the form has and this server does not do, with what to do instead. Their harmless values are accepted. */
const UNSERVED: readonly (readonly [name: string, harmless: readonly unknown[], instead: string])[] = [
  ['n', [1], 'each request gets one answer; expected 1'],
  ['logprobs', [false], 'probabilities of tokens are not available; expected false'],
  ['functions', [[]], 'functions were replaced by tools'],
  ['function_call', ['none', 'auto'], 'function_call was replaced by tool_choice'],
  ['audio', [], 'answers are text'],
];

/** @throws invalid-argument */
export function refuseUnserved(body: JsonObject): void {
  for (const [name, harmless, instead] of UNSERVED) {
    const value = body[name] ?? undefined;
    if (value !== undefined && !harmless.some((each) => isDeepStrictEqual(each, value)))
      throw invalid(`${name} is not supported: ${instead}.`);
  }
}

/** Only the fields that the body has. @throws invalid-argument */
export function readModelOptions(body: JsonObject): ModelOptions {
  const maxTokens = body.max_completion_tokens ?? body.max_tokens ?? undefined;
  const tools = readTools(body);
  const sampling = Object.fromEntries(
    SAMPLING.flatMap((name) => ((body[name] ?? null) === null ? [] : [[name, body[name]]])),
  );
  return {
    ...(maxTokens !== undefined && {
      maxTokens: checkInteger(
        maxTokens,
        (body.max_completion_tokens ?? null) === null ? 'max_tokens' : 'max_completion_tokens',
        { min: 1, max: ANSWER_TOKENS_MAX },
      ),
    }),
    ...(tools !== undefined && { tools, ...toolOptions(body) }),
    ...(Object.keys(sampling).length > 0 && { sampling }),
  };
}

function readTools(body: JsonObject): readonly JsonObject[] | undefined {
  const tools = optionalArray(body, 'tools') ?? [];
  if (tools.length === 0) return undefined;
  if (tools.length > TOOLS_MAX) throw invalid(`tools must have at most ${TOOLS_MAX} items.`);
  return tools.map((tool, at) => {
    const called = isJsonObject(tool) && tool.type === 'function' ? tool.function : undefined;
    if (isJsonObject(tool) && isJsonObject(called) && typeof called.name === 'string') return tool;
    throw invalid(`tools[${at}] must be an object with type 'function' and a function that has a name.`);
  });
}

function toolOptions(body: JsonObject): ModelOptions {
  const choice = body.tool_choice ?? undefined;
  if (choice !== undefined && typeof choice !== 'string' && !isJsonObject(choice)) {
    throw invalid('tool_choice must be a string or an object.');
  }
  const isParallel = (body.parallel_tool_calls ?? undefined) !== undefined;
  return {
    ...(choice !== undefined && { toolChoice: choice }),
    ...(isParallel && { parallelToolCalls: booleanField(body, 'parallel_tool_calls') }),
  };
}

/** @throws invalid-argument */
export function readResponseFormat(body: JsonObject): {
  readonly isJson: boolean;
  readonly jsonSchema?: JsonObject;
} {
  const format = optionalObject(body, 'response_format');
  if (format === undefined) return { isJson: false };
  const type = optionalString(format, 'type');
  if (type === 'text') return { isJson: false };
  if (type === 'json_object') return { isJson: true };
  if (type !== 'json_schema') {
    throw invalid('response_format.type must be text, json_object or json_schema.');
  }
  const jsonSchema = optionalObject(format, 'json_schema');
  if (jsonSchema === undefined) throw invalid('response_format.json_schema must be an object.');
  return { isJson: true, jsonSchema };
}

/** @throws invalid-argument */
export function readIncludeUsage(body: JsonObject, stream: boolean): boolean {
  const options = optionalObject(body, 'stream_options');
  if (options !== undefined && !stream) throw invalid('stream_options is only available with stream.');
  return options !== undefined && booleanField(options, 'include_usage');
}
