// Cursors that clients send back: opaque, signed, short-lived and bound to the query they came from.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { invalid } from '../faults.ts';
import { parseOwnJson } from '../json.ts';
import { CURSOR_LIFE_MS } from './limits.ts';
import type { Position } from './pages.ts';

const MAC_BYTES = 16;
const HOUR_MS = 3_600_000;
const REFUSAL = 'paginationToken is invalid or expired, or comes from another query';

export class PageCursors {
  readonly #secret: Uint8Array;
  readonly #now: () => number;

  /** `secret` must have no other use. */
  constructor(secret: Uint8Array, now: () => number = Date.now) {
    this.#secret = secret;
    this.#now = now;
  }

  /** `boundTo` identifies the query: operation, organization, filters and limit. */
  seal({ createdAt, id }: Position, boundTo: string): string {
    const text = JSON.stringify([createdAt, id, this.#end()]);
    return Buffer.concat([this.#mac(text, boundTo), Buffer.from(text)]).toString('base64url');
  }

  /**
   * The position that a page begins after; null for the first one: without a cursor, or with an empty one, which some
   * clients send for none.
   * @throws invalid-argument
   */
  open(cursor: string | undefined, boundTo: string): Position | null {
    if (cursor === undefined || cursor === '') return null;
    const bytes = Buffer.from(cursor, 'base64url');
    // Decoding ignores characters outside base64url and spare bits: several texts would decode to the same bytes.
    if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== cursor) throw invalid(REFUSAL);
    const text = bytes.subarray(MAC_BYTES).toString();
    if (!timingSafeEqual(bytes.subarray(0, MAC_BYTES), this.#mac(text, boundTo))) throw invalid(REFUSAL);
    const [createdAt, id, end] = parseOwnJson<[string, string, number]>(text);
    if (end <= this.#now()) throw invalid(REFUSAL);
    return { createdAt, id };
  }

  /** The end of a full hour, so that the same request gets the same cursor: clients compare whole responses. */
  #end(): number {
    return Math.ceil((this.#now() + CURSOR_LIFE_MS) / HOUR_MS) * HOUR_MS;
  }

  #mac(text: string, boundTo: string): Buffer {
    const mac = createHmac('sha256', this.#secret).update(JSON.stringify([boundTo, text]));
    return mac.digest().subarray(0, MAC_BYTES);
  }
}
