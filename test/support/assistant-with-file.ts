// An assistant with one file, whose passages can be found.
import assert from 'node:assert/strict';
import { API_KEY, type Service } from './service.ts';
import { until } from './until.ts';

interface FileInput {
  readonly name: string;
  readonly text: string | Uint8Array<ArrayBuffer>;
}

/** Resolves when the file is available. */
export async function createAssistantWithFile(
  service: Service,
  assistant: string,
  { name, text }: FileInput,
): Promise<void> {
  const created = await service.call('POST', '/assistant/assistants', { body: { name: assistant } });
  assert.ok(created.status < 300, created.text);
  await until(async () => (await service.call('GET', `/assistant/assistants/${assistant}`)).status === 200);
  const form = new FormData();
  form.set('file', new File([text], name));
  const path = `/assistant/files/${assistant}`;
  const headers = { 'api-key': API_KEY };
  const uploaded = await fetch(`${service.url}${path}`, { method: 'POST', body: form, headers });
  assert.ok(uploaded.ok, await uploaded.text());
  await until(async () => (await service.call('GET', path)).text.includes('"Available"'));
}
