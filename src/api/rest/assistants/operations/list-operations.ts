// GET /assistant/operations/{assistant_name}: lists running and recent operations on files.
import { invalid } from '../../../../domain/faults.ts';
import type { QueryValues } from '../../../endpoint.ts';
import { Type } from '../../../schema/type.ts';
import { choice } from '../../indexes/body-parts.ts';
import { queryString } from '../../records/request-fields.ts';
import type { JsonEndpoint } from '../assistant-endpoint.ts';
import { answerPage, pageOf, pageQuery } from '../assistant-pages.ts';
import { AssistantParams } from '../assistants/assistant-wire.ts';
import { OPERATION_STATES, OPERATION_TYPES, OperationObject, operationToWire } from './operation-wire.ts';

const LIMIT_DEFAULT = 100;
const PAGES_SINCE = '2026-04';

export const listOperations: JsonEndpoint = {
  kind: 'json',
  id: 'list_operations',
  method: 'GET',
  path: '/assistant/operations/{assistant_name}',
  tag: 'Assistant operations',
  summary: 'List operations',
  description: 'Newest first. Those that have ended are kept for 30 days.',
  since: '2026-04',
  permission: 'data_plane::assistant_files::read',
  errors: 'standard',
  params: AssistantParams,
  query: Type.Object({
    operation_type: Type.Optional(choice(OPERATION_TYPES)),
    status: Type.Optional(choice(OPERATION_STATES)),
    ...pageQuery(LIMIT_DEFAULT, PAGES_SINCE),
  }),
  success: {
    status: 200,
    description: 'A page of operations.',
    schema: pageOf('operations', OperationObject, PAGES_SINCE),
  },
  faults: ['invalid-argument', 'assistant-not-found'],
  handle: async (call) => {
    const { access, params, query, services, signal } = call;
    const assistant = await services.assistants.ready(access, params.assistant_name ?? '', signal);
    const type = oneOf(query, 'operation_type', OPERATION_TYPES);
    const state = oneOf(query, 'status', OPERATION_STATES);
    return answerPage(call, {
      name: 'operations',
      limitDefault: LIMIT_DEFAULT,
      wholeBefore202604: false,
      boundTo: [listOperations.id, assistant.id, type ?? '', state ?? ''],
      list: (page) => services.files.operations(assistant, { type, state }, page),
      toWire: operationToWire,
    });
  },
};

/** @throws invalid-argument */
function oneOf<Value extends string>(
  query: QueryValues,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const text = queryString(query, name);
  const found = values.find((each) => each === text);
  if (text !== undefined && found === undefined)
    throw invalid(`${name} must be one of ${values.join(', ')}.`);
  return found;
}
