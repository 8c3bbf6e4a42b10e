// GET /indexes: lists the indexes of the key's project, all of them unless asked for a page.
import type { ControlCall, ControlEndpoint, Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { queryInteger, queryString } from '../records/request-fields.ts';
import { IndexList } from './index-schemas.ts';
import { indexToWire } from './index-wire.ts';

const LIMIT = { min: 1, max: 1_000 };

async function handle({ access, version, query, services: { indexes } }: ControlCall): Promise<Reply> {
  const prefix = queryString(query, 'prefix') ?? '';
  const after = queryString(query, 'after') ?? '';
  const limit = queryInteger(query, 'limit', LIMIT) ?? Number.POSITIVE_INFINITY;
  const all = await indexes.list(access);
  const found = all.filter(({ name }) => name.startsWith(prefix) && name > after);
  const page = found.slice(0, limit);
  const next = found.length > page.length ? page.at(-1)?.name : undefined;
  const body = {
    indexes: page.map((index) => indexToWire(index, indexes.hostOf(index), version)),
    ...(next !== undefined && { pagination: { next } }),
  };
  return { status: 200, body };
}

export const listIndexes: ControlEndpoint = {
  id: 'list_indexes',
  method: 'GET',
  path: '/indexes',
  tag: 'Indexes',
  summary: 'List indexes',
  description:
    'The indexes of the project ordered by name, including those being deleted: all of them, unless one of the ' +
    'parameters narrows them, which are extensions of this server.',
  since: '2024-04',
  permission: 'control_plane::indexes::list',
  errors: 'standard',
  query: Type.Object({
    prefix: Type.Optional(
      // Without examples, which the API reference would send with the first request that a reader tries.
      Type.String({ description: 'Only indexes whose names start with this.' }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: LIMIT.min,
        maximum: LIMIT.max,
        description: 'At most so many; by default all.',
      }),
    ),
    after: Type.Optional(
      Type.String({
        description: 'Only indexes whose names come after this: `pagination.next` of the page before.',
      }),
    ),
  }),
  success: { status: 200, description: 'The indexes.', schema: IndexList },
  faults: ['invalid-argument'],
  handle,
};
