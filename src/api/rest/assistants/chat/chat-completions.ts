// POST /chat/{assistant_name}/chat/completions: answers in the OpenAI shape, with sources in the text.
import type { ChatAnswer } from '../../../../app/assistants/chat/chat-service.ts';
import { Type } from '../../../schema/type.ts';
import type { AssistantCall, AssistantEndpoint, AssistantReply } from '../assistant-endpoint.ts';
import { AssistantParams } from '../assistants/assistant-wire.ts';
import { readCompletion } from './read-chat-request.ts';
import { headOf, reasonShownTo } from './reply-parts.ts';
import {
  AssistantMessage,
  CompletionFields,
  EventStream,
  FinishReasons,
  ModelName,
  ReplyId,
  Usage,
} from './schemas.ts';
import { usageOf } from './shapes/chat.ts';
import { completionBody, MarkWriter } from './shapes/completions.ts';
import { EVENT_STREAM_HEADERS } from './shapes/event-stream.ts';
import { completionStream } from './stream-answer.ts';

async function handle(call: AssistantCall): Promise<AssistantReply> {
  const { access, params, services, version, signal } = call;
  const { request, stream } = readCompletion(call);
  const assistant = await services.assistants.ready(access, params.assistant_name ?? '', signal);
  const answer = await services.chat.answer(assistant, request);
  const head = headOf(answer, version);
  const shownReason = reasonShownTo(version);
  const marks = new MarkWriter((fileId) => answer.fileOf(fileId)?.name);
  if (stream) {
    const content = completionStream(answer.parts, { head, shownReason, marks });
    return { status: 200, headers: EVENT_STREAM_HEADERS, content };
  }
  const { content, end } = await marked(answer.parts, marks);
  const finishReason = shownReason(end.finishReason);
  return { status: 200, body: completionBody(head, { content, usage: usageOf(end.usage), finishReason }) };
}

async function marked(parts: ChatAnswer['parts'], marks: MarkWriter) {
  let content = '';
  for await (const part of parts) {
    if (part.type === 'end') return { content: content + marks.references(), end: part };
    content += part.type === 'text' ? part.text : marks.marks(part.passages);
  }
  throw new Error('an answer has no end');
}

export const chatCompletions: AssistantEndpoint = {
  kind: 'json',
  id: 'chat_completion_assistant',
  method: 'POST',
  path: '/assistant/chat/{assistant_name}/chat/completions',
  tag: 'Chat',
  summary: 'Chat with an assistant through the OpenAI shape',
  description:
    'Sources are marked in the text, as in [1, pp. 3], and listed at its end. With stream the answer comes as server-sent events; the last has a finish_reason.',
  since: '2025-01',
  permission: 'data_plane::assistants::chat',
  errors: 'standard',
  params: AssistantParams,
  body: Type.Object(CompletionFields),
  success: {
    status: 200,
    description: 'The answer.',
    alternatives: { 'text/event-stream': EventStream },
    schema: Type.Object({
      id: ReplyId,
      choices: Type.Array(
        Type.Object({
          index: Type.Integer({ examples: [0] }),
          message: AssistantMessage,
          finish_reason: FinishReasons,
        }),
      ),
      model: ModelName,
      usage: Usage,
    }),
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
