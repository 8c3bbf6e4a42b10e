// The methods that tests of channels call, and their handlers.
import { setTimeout as pause } from 'node:timers/promises';
import type { Handlers } from '../channel-server.ts';
import type { ErrorCodec } from '../errors.ts';
import { Moved } from '../moved.ts';

export interface FixtureMethods {
  readonly echo: { readonly request: unknown; readonly response: unknown };
  /** Answers after this many milliseconds, and sends a note when it starts. */
  readonly wait: { readonly request: number; readonly response: number; readonly note: string };
  /** Increments every byte and moves the buffer back. */
  readonly increment: {
    readonly request: Uint8Array<ArrayBuffer>;
    readonly response: Uint8Array<ArrayBuffer>;
  };
  /** Warns, with a field of its own. */
  readonly warn: { readonly request: string; readonly response: null };
  readonly fail: { readonly request: string; readonly response: never };
  /** Never answers by itself: ends in the way that the request names. */
  readonly end: { readonly request: 'exit' | 'throw' | 'reject' | 'abort'; readonly response: string };
}

/** An error with a field of its own, which only a codec keeps. */
export class FixtureError extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`code ${code}`);
    this.code = code;
  }
}

export const FIXTURE_CODEC: ErrorCodec = {
  encode: (error) => (error instanceof FixtureError ? error.code : String(error)),
  decode: (plain) => (typeof plain === 'number' ? new FixtureError(plain) : new Error(String(plain))),
};

export const FIXTURE_HANDLERS: Handlers<FixtureMethods> = {
  echo: (request) => request,
  wait: async (ms, call) => {
    call.note(`waits ${ms} ms`);
    await pause(ms);
    return ms;
  },
  increment: (bytes) => {
    const answer = bytes.map((byte) => byte + 1);
    return new Moved(answer, [answer.buffer]);
  },
  warn: (message) => {
    process.emitWarning(Object.assign(new TypeError(message), { code: 7 }));
    return null;
  },
  fail: (message) => {
    throw message === 'fixture' ? new FixtureError(7) : new Error(message);
  },
  end: async (way, { signal }) => {
    if (way === 'exit') process.exit(3);
    if (way === 'reject') throw new RangeError('fatal');
    if (way === 'throw')
      setImmediate(() => {
        throw new Error('broken');
      });
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return 'aborted';
  },
};
