// What connects programs with language models to this server, to be copied.
import { baseAddress } from '../../ui/snippets.ts';

const KEY = 'YOUR_API_KEY';

export const CLIENTS = [
  { name: 'claude-code', title: 'Claude Code' },
  { name: 'vs-code', title: 'VS Code' },
  { name: 'cursor', title: 'Cursor' },
  { name: 'process', title: 'Programs that start a process' },
  { name: 'curl', title: 'curl' },
] as const;

export type ClientName = (typeof CLIENTS)[number]['name'];

export interface Configuration {
  /** Where the text goes. */
  readonly place: string;
  readonly text: string;
}

/** @param assistant empty for everything in the project */
export function addressOf(assistant: string): string {
  const path = assistant === '' ? 'mcp' : `mcp/assistants/${encodeURIComponent(assistant)}`;
  return `${baseAddress()}/${path}`;
}

/** Undefined where the client cannot use the address. */
export function configurationOf(client: ClientName, assistant: string): Configuration | undefined {
  const url = addressOf(assistant);
  const name = assistant === '' ? 'pinyon' : assistant;
  const server = { url, headers: { Authorization: `Bearer ${KEY}` } };
  switch (client) {
    case 'claude-code':
      return {
        place: 'In a terminal',
        text: `claude mcp add --transport http ${name} ${url} --header "Authorization: Bearer ${KEY}"`,
      };
    case 'vs-code':
      return {
        place: 'In .vscode/mcp.json',
        text: json({ servers: { [name]: { type: 'http', ...server } } }),
      };
    case 'cursor':
      return { place: 'In .cursor/mcp.json', text: json({ mcpServers: { [name]: server } }) };
    case 'process':
      return assistant === '' ? processConfiguration() : undefined;
    case 'curl':
      return { place: 'In a terminal, without a client', text: curlCall(url) };
  }
}

function processConfiguration(): Configuration {
  const env = { PINYON_URL: baseAddress(), PINYON_API_KEY: KEY };
  return {
    place: 'In claude_desktop_config.json, for example; --write among the args adds the tools that write',
    text: json({ mcpServers: { pinyon: { command: 'pinyon', args: ['mcp'], env } } }),
  };
}

function curlCall(url: string): string {
  return [
    `curl ${url}`,
    `  -H 'Authorization: Bearer ${KEY}'`,
    "  -H 'Content-Type: application/json'",
    `  -d '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'`,
  ].join(' \\\n');
}

function json(value: object): string {
  return JSON.stringify(value, null, 2);
}
