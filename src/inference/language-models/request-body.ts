// The body of a request in the OpenAI form.
import { takesTemperature } from '../../domain/assistants/chat-models.ts';
import type { ModelMessage, ModelRequest } from '../../domain/inference/language-model.ts';
import type { JsonObject } from '../../domain/json.ts';

/** @param countsUsage whether the provider is asked to count tokens, which not every one knows */
export function requestBody(
  { model, messages, temperature, isJson, options = {} }: ModelRequest,
  countsUsage: boolean,
): JsonObject {
  const { maxTokens, jsonSchema, tools, toolChoice, parallelToolCalls, sampling } = options;
  return {
    model,
    messages: messages.map(messageBody),
    stream: true,
    ...(countsUsage && { stream_options: { include_usage: true } }),
    ...(temperature !== null && { temperature }),
    ...(isJson && { response_format: formatOf(jsonSchema) }),
    ...(maxTokens !== undefined && {
      // Models of OpenAI that reason know the newer name only; most other servers know the older one only.
      [takesTemperature(model) ? 'max_tokens' : 'max_completion_tokens']: maxTokens,
    }),
    ...(tools !== undefined && { tools }),
    ...(toolChoice !== undefined && { tool_choice: toolChoice }),
    ...(parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
    ...sampling,
  };
}

function formatOf(jsonSchema: JsonObject | undefined): JsonObject {
  return jsonSchema === undefined
    ? { type: 'json_object' }
    : { type: 'json_schema', json_schema: jsonSchema };
}

function messageBody({ role, content, toolCalls, toolCallId }: ModelMessage): JsonObject {
  return {
    role,
    content,
    ...(toolCalls !== undefined && { tool_calls: toolCalls }),
    ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
  };
}
