// The shapes of the OpenAI-compatible completions call, whose answers carry citations in the text.
import { hash } from 'node:crypto';
import { type Passage, pagesOf } from '../../../../../app/assistants/chat/answer-model.ts';
import type { ToolCallDelta } from '../../../../../domain/inference/language-model.ts';
import type { ReplyEnd, ReplyHead, ShownFinishReason, UsageShape } from './chat.ts';

const REFERENCES = '\n\nReferences:';

/** Writes marks like `[1, pp. 3]` after quotes, and at the end the files that the numbers refer to. */
export class MarkWriter {
  readonly #nameOf: (fileId: string) => string | undefined;
  readonly #names = new Map<string, string>();

  /** @param nameOf returns the name of a file; files without one are not cited, like those deleted meanwhile */
  constructor(nameOf: (fileId: string) => string | undefined) {
    this.#nameOf = nameOf;
  }

  /** Returns the mark to put right after the backed text. */
  marks(passages: readonly Passage[]): string {
    return passages.map((passage) => this.#mark(passage)).join('');
  }

  /** Empty when nothing was cited. */
  references(): string {
    if (this.#names.size === 0) return '';
    const lines = [...this.#names.values()].map((name, at) => `\n${at + 1}. ${oneLine(name)}`);
    return REFERENCES + lines.join('');
  }

  #mark(passage: Passage): string {
    const { fileId } = passage.chunk;
    const name = this.#nameOf(fileId);
    if (name === undefined) return '';
    this.#names.set(fileId, name);
    const number = [...this.#names.keys()].indexOf(fileId) + 1;
    const pages = pagesOf(passage);
    return pages.length === 0 ? ` [${number}]` : ` [${number}, pp. ${pages.join(', ')}]`;
  }
}

function oneLine(name: string): string {
  return name.replace(/\s+/g, ' ').trim();
}

/** The identity of a completion, repeated in every part of a stream. */
export interface CompletionHead extends ReplyHead {
  /** Seconds since 1970. */
  readonly created: number;
  readonly fingerprint: string;
}

export interface CompletionReply extends ReplyEnd {
  readonly content: string;
  /** Empty unless the model refused. */
  readonly refusal: string;
  /** Whole calls of tools. */
  readonly toolCalls: readonly ToolCallDelta[];
}

const FINGERPRINT_CHARS = 10;

/** Tells clients when another model answers for a name. */
export function fingerprintOf(answeredBy: string): string {
  return `fp_${hash('sha256', answeredBy, 'hex').slice(0, FINGERPRINT_CHARS)}`;
}

export function completionBody(
  head: CompletionHead,
  { content, refusal, toolCalls, usage, finishReason }: CompletionReply,
): object {
  const calls = toolCalls.map(({ id, name, arguments: text }) => callShape({ id, name, arguments: text }));
  const message = {
    role: 'assistant',
    // As OpenAI does where a model says nothing else.
    content: content === '' && (calls.length > 0 || refusal !== '') ? null : content,
    refusal: refusal === '' ? null : refusal,
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  const choices = [{ index: 0, message, finish_reason: finishReason, logprobs: null }];
  return { ...shown(head, 'chat.completion'), choices, usage };
}

/** The first part of a stream. */
export function completionStart(head: CompletionHead): object {
  return part(head, { role: 'assistant' }, null);
}

export function completionDelta(head: CompletionHead, content: string): object {
  return part(head, { content }, null);
}

export function completionRefusal(head: CompletionHead, refusal: string): object {
  return part(head, { refusal }, null);
}

export function completionCalls(head: CompletionHead, calls: readonly ToolCallDelta[]): object {
  const shownCalls = calls.map((call) => ({ index: call.index, ...callShape(call) }));
  return part(head, { tool_calls: shownCalls }, null);
}

/** The last part of a stream, but for the usage. */
export function completionEnd(head: CompletionHead, finishReason: ShownFinishReason): object {
  return part(head, {}, finishReason);
}

/** The part with the usage, for callers who requested it. */
export function completionUsage(head: CompletionHead, usage: UsageShape): object {
  return { ...shown(head, 'chat.completion.chunk'), choices: [], usage };
}

function callShape({ id, name, arguments: text }: Omit<ToolCallDelta, 'index'>): object {
  return {
    ...(id !== undefined && { id }),
    type: 'function',
    function: { name: name ?? '', arguments: text },
  };
}

function part(head: CompletionHead, delta: object, finishReason: ShownFinishReason | null): object {
  return {
    ...shown(head, 'chat.completion.chunk'),
    choices: [{ index: 0, delta, finish_reason: finishReason, logprobs: null }],
  };
}

function shown({ id, model, created, fingerprint }: CompletionHead, object: string): object {
  return { id, object, created, model, system_fingerprint: fingerprint };
}
