// The operation that an owner waits for, as it begins.
import { randomBytes } from 'node:crypto';
import type { Operation, OperationType } from '../../../domain/assistants/file.ts';

const OPERATION_ID_BYTES = 12;

export function newOperation(
  type: OperationType,
  ref: { readonly assistantId: string; readonly fileId: string },
): Operation {
  return {
    ...ref,
    id: `op-${randomBytes(OPERATION_ID_BYTES).toString('hex')}`,
    type,
    state: 'Processing',
    percent: 0,
    error: null,
    ingestionUnits: null,
    createdAt: new Date().toISOString(),
    completedAt: null,
  };
}
