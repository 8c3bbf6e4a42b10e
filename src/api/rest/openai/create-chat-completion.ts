// POST /v1/chat/completions: answers from the files of an assistant, or those of a language model alone.
import { type Fault, fault } from '../../../domain/faults.ts';
import { isJsonObject } from '../../../domain/json.ts';
import type { Reply, StreamedReply } from '../../endpoint.ts';
import { faultBody } from '../../fault-body.ts';
import { completionReply } from '../assistants/chat/completion-reply.ts';
import { Completion, EventStream, OpenAiCompletionBody } from '../assistants/chat/completion-schemas.ts';
import { type ReadCompletion, readCompletion } from '../assistants/chat/read-chat-request.ts';
import { eventLine } from '../assistants/chat/shapes/event-stream.ts';
import { requestObject, requiredText } from '../inference/request-parts.ts';
import { ASSISTANT_PREFIX, orMissing } from './model-ids.ts';
import { OPENAI_FORM, type OpenAiCall, type OpenAiEndpoint } from './openai-endpoint.ts';

/** OpenAI's streams end with it, but for those that fail. */
const DONE = 'data: [DONE]\n\n';
const failed = (fault: Fault): string => eventLine(faultBody('openai', fault));

async function handle(call: OpenAiCall): Promise<Reply | StreamedReply> {
  const model = requiredText(requestObject(call.body), 'model');
  const read = readCompletion(call);
  const answer = await answerOf(call, model, read);
  const { stream, includeUsage } = read;
  const { isJson } = read.request;
  const shownReason = (reason: Parameters<Parameters<typeof completionReply>[1]['shownReason']>[0]) => reason;
  return completionReply(answer, {
    ...{ stream, includeUsage, isJson, shownReason, model, failed },
    streamEnd: DONE,
  });
}

/** Assistants have names of their own; a language model's name wins over an assistant of the same name. */
async function answerOf(
  { access, services, signal, body }: OpenAiCall,
  model: string,
  { request }: ReadCompletion,
) {
  const { assistants, chat } = services;
  if (!model.startsWith(ASSISTANT_PREFIX)) {
    const { messages, isJson, options } = request;
    const isChosen = isJsonObject(body) && (body.temperature ?? null) !== null;
    const temperature = isChosen ? request.temperature : null;
    const direct = await chat.direct({ messages, isJson, options, signal, model, temperature });
    if (direct !== undefined) return direct;
  }
  const name = model.startsWith(ASSISTANT_PREFIX) ? model.slice(ASSISTANT_PREFIX.length) : model;
  const answer = await orMissing(
    assistants
      .ready(access, name, signal)
      .then((assistant) => chat.answer(assistant, { ...request, model: undefined })),
  );
  if (answer === null) throw fault('openai-model-not-found', { model: model.slice(0, 100) });
  return answer;
}

export const createChatCompletion: OpenAiEndpoint = {
  ...OPENAI_FORM,
  id: 'create_chat_completion',
  method: 'POST',
  path: '/v1/chat/completions',
  summary: 'Chat in the OpenAI form',
  description:
    "The model is an assistant, whose answers come from its files and mark their sources, or a language model of the settings, to which the conversation is passed on. OpenAI's clients work with the base address and /v1, and an API key.",
  permission: 'data_plane::assistants::chat',
  body: OpenAiCompletionBody,
  success: {
    status: 200,
    description: 'The answer.',
    alternatives: { 'text/event-stream': EventStream },
    schema: Completion,
  },
  faults: [
    'invalid-argument',
    'bad-filter',
    'openai-model-not-found',
    'assistant-models-changed',
    'chat-unavailable',
  ],
  handle,
};
