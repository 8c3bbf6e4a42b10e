// Errors of a channel, and how errors of its methods cross it.

/** Turns errors into plain data and back: a structured clone loses an error's class and its own fields. */
export interface ErrorCodec<Plain = unknown> {
  encode(error: unknown): Plain;
  /** @param plain what `encode` made at the other end */
  decode(plain: Plain): Error;
}

/** Keeps an error's text alone. */
export const TEXT_CODEC: ErrorCodec = {
  encode: textOf,
  decode: (plain) => new Error(String(plain)),
};

/** The other side ended before it answered: it may have done what it was called for, or not. */
export class ChannelEnded extends Error {
  /** @param cause why it ended; undefined when it exited without an error */
  constructor(name: string, cause: Error | undefined) {
    super(`${name} ended: ${cause?.message ?? 'it was terminated'}`, { cause });
    this.name = 'ChannelEnded';
  }
}

/** This side has closed the channel; nothing was sent. */
export class ChannelClosed extends Error {
  constructor(name: string) {
    super(`${name} has been closed`);
    this.name = 'ChannelClosed';
  }
}

/** The stack of an error where it has one: its message alone does not say where to look. */
export function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
