// The server of chats: by address, found on this machine, or none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withChatServer } from './chat-server.ts';
import { readSettings, SettingsProblem } from './read-settings.ts';

const FOUND = { name: 'Ollama', url: 'http://127.0.0.1:11434/v1', model: 'phi4', models: ['phi4'] };
const unasked = () => Promise.reject(new Error('asked'));

test('keeps an address, and asks no server unless the setting says auto', async () => {
  const url = 'http://localhost:1/v1';
  const kept = await withChatServer(readSettings({ PINYON_CHAT_URL: url }), unasked);
  assert.deepEqual([kept.settings.chatUrl, kept.notices], [url, []]);
  const none = await withChatServer(readSettings({}), unasked);
  assert.deepEqual([none.settings.chatUrl, none.notices.length], [null, 1]);
});

test('takes the server that is found, names it, and lets the setting of models win', async () => {
  const models = JSON.stringify({ 'gpt-4o': 'big' });
  const settings = readSettings({ PINYON_CHAT_URL: 'auto', PINYON_CHAT_MODELS: models });
  const found = await withChatServer(settings, async () => FOUND);
  assert.deepEqual(found.settings.chatModels, { '*': 'phi4', 'gpt-4o': 'big' });
  assert.equal(found.settings.chatUrl, FOUND.url);
  assert.match(found.notices.join(), /^Ollama at http:\/\/127\.0\.0\.1:11434\/v1 answers .* by phi4/);
});

test('answers with quotes where none is found, and says where it looked', async () => {
  const none = await withChatServer(readSettings({ PINYON_CHAT_URL: 'auto' }), async () => null);
  assert.equal(none.settings.chatUrl, null);
  assert.match(none.notices.join(), /No language model was found.*Ollama \(127\.0\.0\.1:11434\).*vLLM/);
});

test('refuses a key for servers that are found', () => {
  assert.throws(
    () => readSettings({ PINYON_CHAT_URL: 'auto', PINYON_CHAT_KEY: 'sk-12345678' }),
    (error) => error instanceof SettingsProblem && /requires an address/.test(error.problems.join()),
  );
});
