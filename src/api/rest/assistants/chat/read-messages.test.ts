// Guarantees of conversations in the OpenAI form: what a model has said is taken back, whatever form it was given in.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOpenAiMessages } from './read-messages.ts';

const ASKED = { role: 'user', content: 'Who?' };
const REFUSED = 'I cannot help with that.';
const history = (message: object) => readOpenAiMessages({ messages: [ASKED, message, ASKED] })[1];

test('takes a refusal of the model as what it has said', () => {
  const said = { role: 'assistant', content: REFUSED };
  for (const message of [
    { role: 'assistant', content: null, refusal: REFUSED },
    { role: 'assistant', refusal: REFUSED },
    { role: 'assistant', content: '', refusal: REFUSED, tool_calls: [] },
    { role: 'assistant', content: [{ type: 'refusal', refusal: REFUSED }] },
    { role: 'assistant', content: REFUSED, refusal: null },
  ])
    assert.deepEqual(history(message), said, JSON.stringify(message));
});

test('takes what else it has said before a refusal', () => {
  assert.equal(history({ role: 'assistant', content: 'Yes.', refusal: REFUSED })?.content, 'Yes.');
  const tool_calls = [{ id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{}' } }];
  const called = history({ role: 'assistant', content: null, refusal: null, tool_calls });
  assert.deepEqual([called?.content, called?.toolCalls], ['', tool_calls]);
});

test('refuses a message without any content, and a refusal of others', () => {
  for (const message of [
    { role: 'assistant', content: null },
    { role: 'assistant', content: null, refusal: null },
    { role: 'user', content: null, refusal: REFUSED },
  ])
    assert.throws(() => history(message), /messages\[1\]\.content must be text, and not empty/);
});

test('leaves out what says nothing, as an answer that was cut before its first word', () => {
  const silent = ['assistant', 'system', 'developer'].map((role) => ({ role, content: '' }));
  const refused = { role: 'assistant', content: null, refusal: '' };
  assert.deepEqual(readOpenAiMessages({ messages: [...silent, refused, ASKED] }), [ASKED]);
  assert.throws(() => readOpenAiMessages({ messages: silent }), /at least 1 message/);
  assert.throws(() => history({ role: 'user', content: '' }), /messages\[1\]\.content must be text/);
});
