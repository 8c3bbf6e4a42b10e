// Calls of tools through the official MCP client, and the names of all tools.
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export const READERS = [
  'search',
  'fetch',
  'list_indexes',
  'describe_index',
  'list_namespaces',
  'list_records',
  'assistant_context',
  'assistant_chat',
  'list_assistants',
  'describe_assistant',
];
export const WRITERS = ['upsert_records', 'update_record', 'delete_records'];

/** @param mode the generation of the protocol: `legacy` clients begin with a handshake */
export async function connectTo(url: URL, key: string, mode: 'legacy' | 'auto' = 'auto'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  return client;
}

export interface Called {
  readonly text: string;
  readonly isError: boolean;
  readonly answer: Record<string, unknown>;
}

export async function call(client: Client, name: string, args: object = {}): Promise<Called> {
  const result = await client.callTool({ name, arguments: { ...args } });
  const [first] = result.content;
  const text = first?.type === 'text' ? first.text : '';
  return { text, isError: result.isError === true, answer: Object(result.structuredContent) };
}

/** The answer of a call that must succeed. */
export async function answerOf(
  client: Client,
  name: string,
  args?: object,
): Promise<Record<string, unknown>> {
  const { text, isError, answer } = await call(client, name, args);
  assert.ok(!isError, text);
  assert.deepEqual(JSON.parse(text), answer);
  return answer;
}

/** The text of a call that must fail. */
export async function errorOf(client: Client, name: string, args?: object): Promise<string> {
  const { text, isError } = await call(client, name, args);
  assert.ok(isError, text);
  return text;
}

export function idsOf(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list.map((each) => each.id) : [];
}

export async function namesOf(client: Client): Promise<readonly string[]> {
  const { tools } = await client.listTools();
  return tools.map(({ name }) => name);
}
