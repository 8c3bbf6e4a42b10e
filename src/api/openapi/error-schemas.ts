// Schemas of the error bodies, by family.
import { FAULTS, Fault, fault, RPC_CODES } from '../../domain/faults.ts';
import type { ErrorFamily } from '../endpoint.ts';
import { ERROR_INFO_URL, errorDetails } from '../error-info.ts';
import { faultBody } from '../fault-body.ts';
import type { JsonSchema } from '../schema/json-schema.ts';

const codes = [...new Set(Object.values(FAULTS).map(({ code }) => code))].sort();
const rpcCodes = [...new Set(codes.map((code) => RPC_CODES[code]))].sort((a, b) => a - b);

const EXAMPLE = new Fault('invalid-argument', 'limit must be an integer from 1 to 100');

const REASONED = fault('alias-not-found', { name: 'current' });

const reason: JsonSchema = {
  title: 'ErrorReason',
  type: 'object',
  required: ['reason', 'metadata', 'typeUrl', 'value'],
  properties: {
    '@type': { type: 'string' },
    reason: { type: 'string', description: 'What is wrong, for programs.' },
    metadata: { type: 'object', additionalProperties: { type: 'string' } },
    typeUrl: { type: 'string', enum: [ERROR_INFO_URL] },
    value: { type: 'string', description: 'The same as a message of that type, in base64.' },
  },
  examples: errorDetails(REASONED),
};

const standard: JsonSchema = {
  type: 'object',
  required: ['status', 'error'],
  properties: {
    status: { type: 'integer', description: 'The HTTP status.' },
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string', enum: codes },
        message: { type: 'string', description: 'What is wrong, for people.' },
        details: reason,
      },
    },
  },
};

const rpc: JsonSchema = {
  type: 'object',
  required: ['code', 'message', 'details'],
  properties: {
    code: { type: 'integer', enum: rpcCodes, description: 'The gRPC status code.' },
    message: { type: 'string', description: 'What is wrong, for people.' },
    details: {
      type: 'array',
      items: reason,
      maxItems: 1,
      description: 'The reason of an error that clients distinguish; else empty.',
    },
  },
};

const DESCRIBED: Readonly<Record<ErrorFamily, JsonSchema>> = {
  standard: { title: 'Error', ...standard },
  rpc: { title: 'RpcError', ...rpc },
  both: {
    title: 'DataError',
    description: 'Has the fields of Error and of RpcError.',
    type: 'object',
    required: [...(standard.required ?? []), ...(rpc.required ?? [])],
    properties: { ...standard.properties, ...rpc.properties },
  },
  identity: {
    title: 'IdentityError',
    type: 'object',
    required: ['message', 'code'],
    properties: { message: { type: 'string' }, code: { type: 'string' } },
  },
  message: {
    title: 'MessageError',
    type: 'object',
    required: ['message'],
    properties: { message: { type: 'string' } },
  },
  openai: {
    title: 'OpenAiError',
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['message', 'type', 'param', 'code'],
        properties: {
          message: { type: 'string', description: 'What is wrong, for people.' },
          type: { type: 'string' },
          param: { type: 'null' },
          code: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        },
      },
    },
  },
  mcp: {
    title: 'McpError',
    description: 'An error of JSON-RPC.',
    type: 'object',
    required: ['jsonrpc', 'error'],
    properties: {
      jsonrpc: { type: 'string', enum: ['2.0'] },
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: {
          code: { type: 'integer', description: 'The error code of JSON-RPC or MCP.' },
          message: { type: 'string', description: 'What is wrong, for people.' },
        },
      },
      // That of the message, even where the fault is that it is not an integer.
      id: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] },
    },
  },
  oauth: {
    title: 'OAuthError',
    type: 'object',
    required: ['error', 'error_description'],
    properties: { error: { type: 'string' }, error_description: { type: 'string' } },
  },
};

/** Each with an example of the body that `faultBody` makes. */
export const ERROR_SCHEMAS: Readonly<Record<ErrorFamily, JsonSchema>> = {
  standard: withExample('standard'),
  rpc: withExample('rpc'),
  both: withExample('both'),
  identity: withExample('identity'),
  message: withExample('message'),
  oauth: withExample('oauth'),
  openai: withExample('openai'),
  mcp: withExample('mcp'),
};

function withExample(family: ErrorFamily): JsonSchema {
  return { ...DESCRIBED[family], examples: [faultBody(family, EXAMPLE)] };
}
