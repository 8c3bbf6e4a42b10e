// pinyon mcp: an MCP server on standard input and output, whose tools ask a running server over HTTP.

import packageJson from '../../../package.json' with { type: 'json' };
import { createMcpServer } from '../../mcp/mcp-server.ts';
import { serveStdio } from '../../mcp/sdk.ts';
import { ToolError, type ToolRequest } from '../../mcp/tool.ts';
import { PROJECT_TOOLS, toolsFor } from '../../mcp/tools.ts';
import { ApiClient, Refusal } from '../client/api-client.ts';
import { CliProblem, EXIT_DONE, type Io, type ParsedWords } from '../command.ts';

/** The newest version, whose answers tools read. */
const VERSION = '2026-07';

/** Serves until its client closes standard input. */
export async function mcp(words: ParsedWords, io: Io): Promise<number> {
  const client = await ApiClient.of(words, io);
  const tools = toolsFor(PROJECT_TOOLS.tools, { mayWrite: words.flag('write'), permissions: null });
  const { promise, resolve } = Promise.withResolvers<void>();
  const server = serveStdio(
    () =>
      createMcpServer({
        ...PROJECT_TOOLS,
        tools,
        release: packageJson.version,
        send: (request, signal) => send(client, request, signal),
      }),
    // Standard output is the client's.
    { maxSubscriptions: 0, onerror: ({ message }) => io.err(`${message}\n`) },
  );
  process.stdin.once('end', resolve).once('close', resolve);
  io.signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  await server.close();
  return EXIT_DONE;
}

/** @throws ToolError for what the server refuses, and where no server answers */
async function send(client: ApiClient, { method, path, body, lines }: ToolRequest, signal: AbortSignal) {
  try {
    const content =
      lines === undefined ? { body } : { content: lines.map((line) => `${JSON.stringify(line)}\n`).join('') };
    return await client.call(method, path, { ...content, signal, isOnce: true, version: VERSION });
  } catch (error) {
    if (error instanceof Refusal) throw new ToolError(error.message, error.status);
    if (error instanceof CliProblem) throw new ToolError(error.message);
    throw error;
  }
}
