// The shapes of the OpenAI-compatible completions call, whose answers carry citations in the text.
import { type Passage, pagesOf } from '../../../../../app/assistants/chat/answer-model.ts';
import type { ReplyEnd, ReplyHead, ShownFinishReason } from './chat.ts';

const REFERENCES = '\n\nReferences:';

/** Writes marks like `[1, pp. 3]` after quotes, and at the end the files that the numbers refer to. */
export class MarkWriter {
  readonly #nameOf: (fileId: string) => string | undefined;
  readonly #names = new Map<string, string>();

  /** @param nameOf returns the name of a file; deleted files are no longer cited */
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

export function completionBody(
  { id, model }: ReplyHead,
  { content, usage, finishReason }: ReplyEnd & { readonly content: string },
): object {
  const message = { role: 'assistant', content };
  return { id, choices: [{ index: 0, message, finish_reason: finishReason }], model, usage };
}

/** The first part of a stream. */
export function completionStart(head: ReplyHead): object {
  return part(head, { role: 'assistant' }, null);
}

export function completionDelta(head: ReplyHead, content: string): object {
  return part(head, { content }, null);
}

/** The last part of a stream. */
export function completionEnd(head: ReplyHead, finishReason: ShownFinishReason): object {
  return part(head, {}, finishReason);
}

function part({ id, model }: ReplyHead, delta: object, finishReason: ShownFinishReason | null): object {
  return { id, choices: [{ index: 0, delta, finish_reason: finishReason }], model };
}
