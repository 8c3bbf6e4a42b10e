// The reasons of refusals: in the provider's words, without secrets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusalReason, shownReason } from './refusal-reason.ts';

const KEY = 'very-own-key';
const reasonOf = (body: unknown) =>
  refusalReason(new Response(typeof body === 'string' ? body : JSON.stringify(body)), KEY);

test('reads the reason in the forms that servers use, and nothing else', async () => {
  const reason = "This model's maximum context length is 4096 tokens";
  for (const body of [
    { error: { message: `${reason}.`, code: 400 } },
    { error: reason },
    { message: reason },
    { detail: reason },
  ]) {
    assert.equal(await reasonOf(body), reason);
  }
  for (const body of ['<html>', '[]', '{}', '', { error: {} }, { detail: [{ msg: 'x' }] }]) {
    assert.equal(await reasonOf(body), null);
  }
  assert.equal(await reasonOf({ message: 'x'.repeat(100_000) }), null);
});

test('hides keys, tokens, addresses and long runs, and shows one short line', () => {
  const cases: readonly (readonly [text: string, shown: string])[] = [
    [`no\n\u001b[31m ${KEY}!`, 'no [31m [hidden]!'],
    ['Incorrect key sk-abc***xyz at http://10.0.0.7:80/v1', 'Incorrect key [hidden] at [hidden]'],
    ['Authorization: Bearer abcdef failed on 10.1.2.3:8000', 'Authorization: [hidden] failed on [hidden]'],
    [`hash ${'a1'.repeat(20)}`, 'hash [hidden]'],
  ];
  for (const [text, shown] of cases) assert.equal(shownReason(text, KEY), shown);
  assert.equal(shownReason('word '.repeat(500), null)?.length, 299);
  assert.equal(shownReason(' \n. ', null), null);
});
