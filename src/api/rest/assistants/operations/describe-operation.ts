// GET /assistant/operations/{assistant_name}/{operation_id}: describes an operation.
import { Type } from '../../../schema/type.ts';
import type { JsonEndpoint } from '../assistant-endpoint.ts';
import { AssistantName } from '../assistants/assistant-wire.ts';
import { OperationObject, operationToWire } from './operation-wire.ts';

export const describeOperation: JsonEndpoint = {
  kind: 'json',
  id: 'describe_operation',
  method: 'GET',
  path: '/assistant/operations/{assistant_name}/{operation_id}',
  tag: 'Assistant operations',
  summary: 'Describe an operation',
  since: '2026-04',
  permission: 'data_plane::assistant_files::read',
  errors: 'standard',
  params: Type.Object({
    assistant_name: AssistantName,
    operation_id: Type.String({ description: 'Id of the operation.', examples: ['op-4e5f6a7b'] }),
  }),
  success: { status: 200, description: 'The operation.', schema: OperationObject },
  faults: ['assistant-not-found', 'operation-not-found'],
  handle: async ({ access, params, services, signal }) => {
    const assistant = await services.assistants.ready(access, params.assistant_name ?? '', signal);
    const operation = await services.files.operation(assistant, params.operation_id ?? '');
    return { status: 200, body: operationToWire(operation) };
  },
};
