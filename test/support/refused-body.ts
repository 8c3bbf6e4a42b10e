// Requests of the vectors operations that are refused for their body.
import assert from 'node:assert/strict';
import { both, INVALID_DATA } from './bodies.ts';
import type { Connection } from './connection.ts';

/** What is wrong with a body, the body, and the whole message of the refusal or what it must hold. */
export type RefusedBody = readonly [what: string, body: unknown, message: string | RegExp];

/** Checks that a body gets 400 in the body of vectors operations, with the message. */
export async function assertRefused(
  connection: Connection,
  path: string,
  [what, body, message]: RefusedBody,
): Promise<void> {
  const answer = await connection.call('POST', path, body);
  assert.equal(answer.status, 400, `${what}: ${answer.status} ${answer.text}`);
  const told = (answer.body as { message: string }).message;
  assert.deepEqual(answer.body, both(INVALID_DATA, told), what);
  if (typeof message === 'string') assert.equal(told, message, what);
  else assert.match(told, message, what);
}
