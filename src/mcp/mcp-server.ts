// An MCP server of the official SDK over a set of tools, for one request or one connection.
import type { Server, Tool as WireTool } from '@modelcontextprotocol/server';
import { parseOwnJson } from '../domain/json.ts';
import { callTool, type Outcome, type Send } from './call-tool.ts';
import { Server as SdkServer } from './sdk.ts';
import type { Tool } from './tool.ts';
import type { ToolSet } from './tools.ts';

export interface McpServerOptions extends ToolSet {
  /** The version of the product. */
  readonly release: string;
  readonly send: Send;
  /** Called after each call. */
  readonly onCall?: (tool: string, outcome: Outcome, milliseconds: number) => void;
  /** Notes what a tool throws unexpectedly; returns what its caller is told. By default the message of the error. */
  readonly failed?: (error: unknown) => string;
}

const UNKNOWN = 'unknown';

/** @returns a server that is not connected yet */
export function createMcpServer({
  tools,
  instructions,
  release,
  send,
  onCall,
  failed,
}: McpServerOptions): Server {
  const server = new SdkServer(
    { name: 'pinyon', title: 'Pinyon', version: release },
    { capabilities: { tools: {} }, instructions },
  );
  server.setRequestHandler('tools/list', () => ({ tools: tools.map(describe) }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const startedAt = performance.now();
    const chosen = tools.find(({ name }) => name === params.name);
    const report = (outcome: Outcome) =>
      onCall?.(chosen?.name ?? UNKNOWN, outcome, performance.now() - startedAt);
    if (chosen === undefined) {
      report('refused');
      return failure(
        `There is no tool ${params.name.slice(0, 80)} for this caller. There are: ${tools.map(({ name }) => name).join(', ')}.`,
      );
    }
    try {
      const call = { args: params.arguments, send, signal: mcpReq.signal };
      const { text, answer, outcome } = await callTool(chosen, call);
      report(outcome);
      if (answer === null) return failure(text);
      return { content: [{ type: 'text' as const, text }], structuredContent: answer };
    } catch (error) {
      report('failed');
      // Who cancels a call, or leaves, reads nothing more.
      if (failed === undefined || mcpReq.signal.aborted) throw error;
      return failure(failed(error));
    }
  });
  return server;
}

function failure(text: string) {
  return { content: [{ type: 'text' as const, text }], isError: true };
}

function describe({ name, title, description, input, effect }: Tool): WireTool {
  return {
    name,
    title,
    description,
    // Without the marks of the builder.
    inputSchema: parseOwnJson<WireTool['inputSchema']>(JSON.stringify(input)),
    annotations: {
      title,
      readOnlyHint: effect === 'read',
      destructiveHint: effect === 'destructive',
      // Every tool may be called again with the same arguments without further effect.
      idempotentHint: true,
      openWorldHint: false,
    },
  };
}
