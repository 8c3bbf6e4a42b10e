// Operations in responses, alone and as the response to the request that started them.

import type { Operation } from '../../../../domain/assistants/file.ts';
import { TOKENS_AN_INGESTION_UNIT } from '../../../../domain/assistants/limits.ts';
import type { Reply, Success } from '../../../endpoint.ts';
import { Type } from '../../../schema/type.ts';
import { choice } from '../../indexes/body-parts.ts';

export const OPERATION_TYPES = ['upload_file', 'upsert_file', 'update_file_metadata', 'delete_file'] as const;
export const OPERATION_STATES = ['Processing', 'Completed', 'Failed'] as const;

const OPERATION = {
  id: 'op-4e5f6a7b',
  operation_type: 'upload_file',
  file_id: '6d7e8f90-1a2b-4c3d-8e4f-5a6b7c8d9e0f',
  status: 'Processing',
  created_on: '2026-07-01T09:30:00.000Z',
  percent_complete: 40,
};

export const OperationObject = Type.Object(
  {
    id: Type.String(),
    operation_type: choice(OPERATION_TYPES),
    file_id: Type.Union([Type.String(), Type.Null()]),
    status: choice(OPERATION_STATES),
    created_on: Type.String({ format: 'date-time' }),
    completed_on: Type.Optional(Type.String({ format: 'date-time' })),
    percent_complete: Type.Integer({ minimum: 0, maximum: 100 }),
    error_message: Type.Optional(Type.String({ description: 'Of one that has failed.' })),
    ingestion_units: Type.Optional(
      Type.Number({
        description: `Of a completed upload: one for ${TOKENS_AN_INGESTION_UNIT} tokens of text.`,
      }),
    ),
  },
  { title: 'Operation', examples: [OPERATION] },
);

/** The success of requests that start an operation. */
export function acceptedSuccess(description: string): Success {
  return {
    status: 202,
    description,
    schema: OperationObject,
    headers: Type.Object({ location: Type.String({ description: 'Path of the operation.' }) }),
  };
}

export function operationToWire(operation: Operation) {
  const { id, type, fileId, state, createdAt, completedAt, percent, error, ingestionUnits } = operation;
  return {
    id,
    operation_type: type,
    file_id: fileId,
    status: state,
    created_on: createdAt,
    percent_complete: Math.round(percent),
    ...(completedAt !== null && { completed_on: completedAt }),
    ...(error !== null && { error_message: error }),
    ...(ingestionUnits !== null && { ingestion_units: ingestionUnits }),
  };
}

/** The response to a request that starts an operation. */
export function acceptedReply(assistantName: string, operation: Operation): Reply {
  return {
    status: 202,
    headers: { location: `/operations/${assistantName}/${operation.id}` },
    body: operationToWire(operation),
  };
}
