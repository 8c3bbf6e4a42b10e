// POST /chat/{assistant_name}/chat/completions: answers in the OpenAI shape, with sources in the text.
import { NEWEST_API_VERSION } from '../../../../domain/api-version.ts';
import type { AssistantCall, AssistantEndpoint, AssistantReply } from '../assistant-endpoint.ts';
import { AssistantParams } from '../assistants/assistant-wire.ts';
import { completionReply } from './completion-reply.ts';
import { Completion, CompletionBody, EventStream } from './completion-schemas.ts';
import { readCompletion } from './read-chat-request.ts';
import { reasonShownTo } from './reply-parts.ts';

async function handle(call: AssistantCall): Promise<AssistantReply> {
  const { access, params, services, version, signal } = call;
  const { request, ...options } = readCompletion(call);
  const assistant = await services.assistants.ready(access, params.assistant_name ?? '', signal);
  const answer = await services.chat.answer(assistant, request);
  const { isJson } = request;
  // OpenAI's clients send no version, and know the newest reasons.
  const shownReason = reasonShownTo(version ?? NEWEST_API_VERSION);
  return completionReply(answer, { ...options, isJson, shownReason });
}

export const chatCompletions: AssistantEndpoint = {
  kind: 'json',
  id: 'chat_completion_assistant',
  method: 'POST',
  path: '/assistant/chat/{assistant_name}/chat/completions',
  tag: 'Chat',
  summary: 'Chat with an assistant through the OpenAI shape',
  description:
    "Sources are marked in the text, as in [1, pp. 3], and listed at its end, but for an answer that is a JSON object. With stream the answer comes as server-sent events; the last has a finish_reason, or the usage when stream_options asks for it. OpenAI's clients work with the address up to and without /chat/completions, and with an API key.",
  since: '2025-01',
  permission: 'data_plane::assistants::chat',
  errors: 'standard',
  params: AssistantParams,
  credential: 'bearer-key',
  body: CompletionBody,
  success: {
    status: 200,
    description: 'The answer.',
    alternatives: { 'text/event-stream': EventStream },
    schema: Completion,
  },
  faults: [
    'invalid-argument',
    'bad-filter',
    'invalid-chat-model',
    'assistant-not-found',
    'assistant-models-changed',
    'chat-unavailable',
  ],
  handle,
};
