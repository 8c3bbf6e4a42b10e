// Answers in the OpenAI shape, whole or streamed, for assistants and for the OpenAI form.
import type { ChatAnswer } from '../../../../app/assistants/chat/chat-service.ts';
import type { FinishReason, ToolCallDelta } from '../../../../domain/inference/language-model.ts';
import type { StreamedReply } from '../../../endpoint.ts';
import type { AssistantReply } from '../assistant-endpoint.ts';
import { type ShownFinishReason, usageOf } from './shapes/chat.ts';
import { completionBody, fingerprintOf, MarkWriter } from './shapes/completions.ts';
import { EVENT_STREAM_HEADERS } from './shapes/event-stream.ts';
import { completionStream } from './stream-answer.ts';

const SECOND_MS = 1_000;

export interface CompletionReplyOptions {
  readonly stream: boolean;
  readonly includeUsage: boolean;
  /** Sources are not marked in an object, which has no place for them. */
  readonly isJson: boolean;
  readonly shownReason: (reason: FinishReason) => ShownFinishReason;
  /** The name that the answer shows; by default the requested model with what really answered. */
  readonly model?: string;
  /** Written after a stream. */
  readonly streamEnd?: string;
  /** As of `StreamedReply`. */
  readonly failed?: StreamedReply['failed'];
}

export async function completionReply(
  answer: ChatAnswer,
  options: CompletionReplyOptions,
): Promise<AssistantReply> {
  const { stream, includeUsage, isJson, shownReason, model = answer.model, streamEnd, failed } = options;
  const created = Math.floor(Date.now() / SECOND_MS);
  const head = { id: answer.id, model, created, fingerprint: fingerprintOf(answer.model) };
  const marks = new MarkWriter((fileId) => (isJson ? undefined : answer.fileOf(fileId)?.name));
  if (stream) {
    const content = completionStream(answer.parts, { head, shownReason, marks, includeUsage });
    const ended = streamEnd === undefined ? content : followedBy(content, streamEnd);
    return { status: 200, headers: EVENT_STREAM_HEADERS, content: ended, ...(failed && { failed }) };
  }
  const { end, ...said } = await marked(answer.parts, marks);
  const finishReason = shownReason(end.finishReason);
  const body = completionBody(head, { ...said, usage: usageOf(end.usage), finishReason });
  return { status: 200, body };
}

async function* followedBy(content: AsyncIterable<string>, end: string): AsyncGenerator<string> {
  yield* content;
  yield end;
}

async function marked(parts: ChatAnswer['parts'], marks: MarkWriter) {
  let content = '';
  let refusal = '';
  let toolCalls: readonly ToolCallDelta[] = [];
  for await (const part of parts) {
    if (part.type === 'end') return { content: content + marks.references(), refusal, toolCalls, end: part };
    if (part.type === 'refusal') refusal += part.text;
    else if (part.type === 'tool-calls') toolCalls = [...toolCalls, ...part.calls];
    else content += part.type === 'text' ? part.text : marks.marks(part.passages);
  }
  throw new Error('an answer has no end');
}
