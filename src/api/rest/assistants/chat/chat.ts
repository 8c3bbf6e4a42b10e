// POST /chat/{assistant_name}: answers from the files of an assistant, with citations.
import { wholeAnswer } from '../../../../app/assistants/chat/whole-answer.ts';
import { Type } from '../../../schema/type.ts';
import type { AssistantCall, AssistantEndpoint, AssistantReply } from '../assistant-endpoint.ts';
import { AssistantParams } from '../assistants/assistant-wire.ts';
import { Highlights } from './highlights.ts';
import { readChat } from './read-chat-request.ts';
import { headOf, reasonShownTo, shownFiles } from './reply-parts.ts';
import {
  AssistantMessage,
  Citation,
  CompletionFields,
  ContextFields,
  EventStream,
  FinishReasons,
  ModelName,
  ReplyId,
  Usage,
} from './schemas.ts';
import { chatBody, usageOf } from './shapes/chat.ts';
import { citationsOf } from './shapes/citations.ts';
import { EVENT_STREAM_HEADERS } from './shapes/event-stream.ts';
import { chatStream } from './stream-answer.ts';

async function handle(call: AssistantCall): Promise<AssistantReply> {
  const { access, params, services, version, signal } = call;
  const { request, stream, highlights: isHighlighted } = readChat(call);
  const assistant = await services.assistants.ready(access, params.assistant_name ?? '', signal);
  const answer = await services.chat.answer(assistant, request);
  const head = headOf(answer, version);
  const shownReason = reasonShownTo(version);
  const { projectId } = access;
  const parts = { passages: services.passages, fileOf: answer.fileOf, signal, projectId };
  const highlights = new Highlights(isHighlighted ? parts : null);
  const citations = { fileOf: shownFiles(answer), highlightOf: highlights.of.bind(highlights) };
  if (stream) {
    const content = chatStream(answer.parts, { head, shownReason, highlights, ...citations });
    return { status: 200, headers: EVENT_STREAM_HEADERS, content };
  }
  const whole = await wholeAnswer(answer.parts);
  await highlights.prepare(whole.quotes.flatMap(({ passages }) => passages));
  const body = chatBody({
    ...head,
    content: whole.content + refusalText(whole.refusal, request.isJson),
    citations: citationsOf(whole, citations),
    usage: usageOf(whole.usage),
    finishReason: shownReason(whole.finishReason),
  });
  return { status: 200, body };
}

/** A caller who requested an object gets one. */
function refusalText(refusal: string, isJson: boolean): string {
  return isJson && refusal !== '' ? JSON.stringify({ refusal }) : refusal;
}

export const chat: AssistantEndpoint = {
  kind: 'json',
  id: 'chat_assistant',
  method: 'POST',
  path: '/assistant/chat/{assistant_name}',
  tag: 'Chat',
  summary: 'Chat with an assistant',
  description:
    'Answers the last message of a user. With stream the answer comes as server-sent events: message_start, then content_chunk and citation in their order, then message_end; what fails before the first event is answered as usual, later the connection ends.',
  since: '2025-01',
  permission: 'data_plane::assistants::chat',
  errors: 'standard',
  params: AssistantParams,
  body: Type.Object({
    ...CompletionFields,
    json_response: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'The content is the text of a JSON object. Without stream only.',
      }),
    ),
    include_highlights: Type.Optional(Type.Boolean({ default: false })),
    context_options: Type.Optional(Type.Object(ContextFields)),
  }),
  success: {
    status: 200,
    description: 'The answer.',
    alternatives: { 'text/event-stream': EventStream },
    schema: Type.Object({
      id: ReplyId,
      finish_reason: FinishReasons,
      message: AssistantMessage,
      model: ModelName,
      citations: Type.Array(Citation),
      usage: Usage,
      context_snippet_count: Type.Optional(
        Type.Integer({
          'x-since': '2026-04',
          description: 'How many snippets the answer is from.',
          examples: [4],
        }),
      ),
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
