// Errors of a channel, and how errors of its methods cross it.

/** Converts errors to plain data and back, since a structured clone loses the class and own fields of an error. */
export interface ErrorCodec<Plain = unknown> {
  encode(error: unknown): Plain;
  /** @param plain the output of `encode` at the other end */
  decode(plain: Plain): Error;
}

/** Keeps only the text of an error. */
export const TEXT_CODEC: ErrorCodec = {
  encode: textOf,
  decode: (plain) => new Error(String(plain)),
};

/** The other side ended before it answered; it may or may not have done the work. */
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
