// POST /mcp and POST /mcp/assistants/{assistant_name}: messages of the Model Context Protocol, as the reference shows
// them. The server has the routes.
import type { JsonObject } from '../../../domain/json.ts';
import type { EndpointDetails } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { AssistantParams } from '../assistants/assistants/assistant-wire.ts';

const Id = Type.Union([Type.String(), Type.Integer()], { examples: [1] });

/** @param call the example: a call of a tool */
function messageBody(title: string, call: JsonObject) {
  return Type.Object(
    {
      jsonrpc: Type.Literal('2.0'),
      id: Type.Optional(Id),
      method: Type.String({ examples: ['tools/call'] }),
      params: Type.Optional(Type.Object({}, { additionalProperties: true })),
    },
    { title, examples: [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }] },
  );
}

export const mcpEndpoint: EndpointDetails = {
  id: 'send_mcp_message',
  method: 'POST',
  path: '/mcp',
  tag: 'MCP',
  summary: 'Send an MCP message',
  description:
    'The streamable HTTP transport of the Model Context Protocol: one JSON-RPC message per request, without sessions. ' +
    'MCP clients speak it; docs/mcp.md shows how to set them up. Takes the API key as `Authorization: Bearer KEY` or in ' +
    '`Api-Key`. What a tool call may do is decided by the role of the key, as for the endpoints that it stands for.',
  since: '2025-01',
  permission: null,
  errors: 'mcp',
  credential: 'bearer-key',
  versioning: 'ignored',
  headers: Type.Object({
    accept: Type.Optional(
      Type.String({
        description: 'With text/event-stream, the response may come as one server-sent event.',
        examples: ['application/json, text/event-stream'],
      }),
    ),
    'mcp-protocol-version': Type.Optional(
      Type.String({ description: 'From the second message on.', examples: ['2025-11-25'] }),
    ),
  }),
  body: messageBody('McpMessage', { name: 'list_indexes', arguments: {} }),
  success: {
    status: 200,
    description: 'The JSON-RPC response; errors of tools are results, too.',
    schema: Type.Object(
      {
        jsonrpc: Type.Literal('2.0'),
        id: Id,
        result: Type.Optional(Type.Object({}, { additionalProperties: true })),
        error: Type.Optional(Type.Object({ code: Type.Integer(), message: Type.String() })),
      },
      {
        title: 'McpResponse',
        examples: [
          {
            jsonrpc: '2.0',
            id: 1,
            result: {
              content: [{ type: 'text', text: '{"indexes":[]}' }],
              structuredContent: { indexes: [] },
            },
          },
        ],
      },
    ),
    alternatives: {
      'text/event-stream': Type.String({
        description: 'The same response as one server-sent event.',
        examples: ['event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n'],
      }),
    },
  },
  pages: [
    { status: 202, description: 'To notifications: nothing.' },
    {
      status: 404,
      description: 'The server does not have the method that the message names.',
      schema: Type.Object(
        {
          jsonrpc: Type.Literal('2.0'),
          error: Type.Object({ code: Type.Integer(), message: Type.String() }),
        },
        {
          title: 'McpMethodNotFound',
          examples: [{ jsonrpc: '2.0', id: 1, error: { code: -32_601, message: 'Method not found' } }],
        },
      ),
    },
  ],
  faults: ['invalid-argument', 'origin-not-allowed'],
};

/** The address at which clients of the hosted service find the tools of an assistant. */
export const assistantMcpEndpoint: EndpointDetails = {
  ...mcpEndpoint,
  id: 'send_assistant_mcp_message',
  path: '/mcp/assistants/{assistant_name}',
  summary: 'Send an MCP message to an assistant',
  description:
    'As `/mcp`, with the tools of one assistant: `context` finds passages in its files, and `chat` answers from them. ' +
    'A name without an assistant is reported by the calls of the tools.',
  params: AssistantParams,
  body: messageBody('AssistantMcpMessage', {
    name: 'context',
    arguments: { query: 'Where does the heron stand?' },
  }),
};

export const mcpEndpoints: readonly EndpointDetails[] = [mcpEndpoint, assistantMcpEndpoint];
