// A pending call of a channel.

import type { NoteOf } from './methods.ts';
import { received } from './wire.ts';

/** The events of a call that a channel reports to it. */
export interface PendingCall {
  answer(response: unknown): void;
  /** The method threw, or the other side ended. */
  fail(error: Error): void;
  note(note: unknown): void;
  /** The next item of the download. */
  item(item: unknown): void;
  /** The serving side has consumed an item of the upload. */
  used(): void;
}

/** How a promise is settled. */
export interface Settle {
  readonly resolve: (response: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A call without streams. */
export class PlainCall<Called> implements PendingCall {
  readonly answer: (response: unknown) => void;
  readonly fail: (error: Error) => void;
  readonly #onNote: ((note: NoteOf<Called>) => void) | undefined;

  constructor(settle: Settle, onNote: ((note: NoteOf<Called>) => void) | undefined) {
    this.answer = settle.resolve;
    this.fail = settle.reject;
    this.#onNote = onNote;
  }

  note(note: unknown): void {
    this.#onNote?.(received(note));
  }

  item(): void {
    throw new Error('an item for a call without a stream');
  }

  used(): void {}
}
