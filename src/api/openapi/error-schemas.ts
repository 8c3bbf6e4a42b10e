// Schemas of the error bodies.
import { FAULTS, RPC_CODES } from '../../domain/faults.ts';

const codes = [...new Set(Object.values(FAULTS).map(({ code }) => code))].sort();
const rpcCodes = [...new Set(codes.map((code) => RPC_CODES[code]))].sort((a, b) => a - b);

export const ERROR_SCHEMAS = {
  Error: {
    type: 'object',
    required: ['status', 'error'],
    properties: {
      status: { type: 'integer', description: 'The HTTP status.' },
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: {
          code: { type: 'string', enum: codes },
          message: { type: 'string' },
          details: { type: 'object' },
        },
      },
    },
  },
  RpcError: {
    type: 'object',
    required: ['code', 'message', 'details'],
    properties: {
      code: { type: 'integer', enum: rpcCodes, description: 'The gRPC status code.' },
      message: { type: 'string' },
      details: {
        type: 'array',
        items: {
          type: 'object',
          properties: { typeUrl: { type: 'string' }, value: { type: 'string', contentEncoding: 'base64' } },
        },
      },
    },
  },
  IdentityError: {
    type: 'object',
    required: ['message', 'code'],
    properties: { message: { type: 'string' }, code: { type: 'string' } },
  },
  MessageError: {
    type: 'object',
    required: ['message'],
    properties: { message: { type: 'string' } },
  },
  OAuthError: {
    type: 'object',
    required: ['error', 'error_description'],
    properties: { error: { type: 'string' }, error_description: { type: 'string' } },
  },
} as const;
