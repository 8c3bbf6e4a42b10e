// Endpoints below /indexes/{index_name}/memory: what of an index must be in memory to be searched.
import { MEMORY_PROFILES, type MemoryReport, memoryProfileOf } from '../../../domain/memory-profile.ts';
import type { ControlEndpoint, EndpointDetails } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { deserialize } from './deserialize.ts';
import { indexName } from './index-reply.ts';
import { IndexParams } from './index-schemas.ts';

const PATH = '/indexes/{index_name}/memory';
const OURS = ' An extension of this server, not part of the public API.';

const Profile = Type.String({ enum: [...MEMORY_PROFILES] });

const MemoryBody = Type.Object(
  {
    profile: Type.String({
      enum: [...MEMORY_PROFILES],
      description:
        '`memory` keeps all that searches compare in memory; `disk` keeps links and a bit a component there, and reads ' +
        'the rest for the best of them. For 128 dimensions and more.',
      examples: ['disk'],
    }),
  },
  { additionalProperties: false, title: 'MemoryRequest', examples: [{ profile: 'disk' }] },
);

const Bytes = Type.Object(
  {
    memory: Type.Integer({ minimum: 0, examples: [34_700_000] }),
    disk: Type.Integer({
      minimum: 0,
      examples: [40_600_000],
      description: 'In a file of which the system keeps in memory what it has room for.',
    }),
  },
  { title: 'MemoryBytes' },
);

const MemoryObject = Type.Object(
  {
    profile: Type.Union([Profile, Type.Null()], {
      description: "Null for the server's default.",
      examples: ['disk'],
    }),
    in_force: Type.String({ enum: [...MEMORY_PROFILES], examples: ['disk'] }),
    bytes: Type.Union([Bytes, Type.Null()], {
      description: 'What searches of the index use now; null when nothing of it is in memory.',
      examples: [{ memory: 34_700_000, disk: 40_600_000 }],
    }),
  },
  { title: 'Memory' },
);

const common = {
  tag: 'Memory',
  since: '2026-07',
  errors: 'standard',
  params: IndexParams,
  path: PATH,
} as const satisfies Partial<EndpointDetails>;

export const describeMemory: ControlEndpoint = {
  ...common,
  id: 'describe_memory',
  method: 'GET',
  summary: 'Describe what of an index is in memory, and what on disk',
  description: OURS.trim(),
  permission: 'control_plane::indexes::describe',
  success: { status: 200, description: 'The profile, and the bytes.', schema: MemoryObject },
  faults: ['index-not-found'],
  handle: async (call) => ({
    status: 200,
    body: reportToWire(await call.services.memoryProfiles.describe(call.access, indexName(call))),
  }),
};

export const setMemory: ControlEndpoint = {
  ...common,
  id: 'set_memory',
  method: 'PUT',
  summary: 'Choose what of an index is in memory, and what on disk',
  description:
    'Searches go on while what is in memory is made anew. Until its graph is built, they compare all records.' +
    OURS,
  permission: 'control_plane::indexes::configure',
  body: MemoryBody,
  success: { status: 200, description: 'The profile, and the bytes.', schema: MemoryObject },
  faults: [
    'index-not-found',
    'index-not-ready',
    'body-not-json',
    'body-not-deserializable',
    'invalid-argument',
  ],
  handle: async (call) => {
    const { memoryProfiles, indexes } = call.services;
    const name = indexName(call);
    await indexes.describe(call.access, name);
    const { profile } = deserialize(MemoryBody, call);
    return {
      status: 200,
      body: reportToWire(await memoryProfiles.set(call.access, name, memoryProfileOf(profile))),
    };
  },
};

export const endMemory: ControlEndpoint = {
  ...common,
  id: 'end_memory',
  method: 'DELETE',
  summary: "Return to the server's default of what is in memory",
  description: OURS.trim(),
  permission: 'control_plane::indexes::configure',
  success: { status: 202, description: 'Ended.' },
  faults: ['index-not-found', 'index-not-ready'],
  handle: async (call) => {
    await call.services.memoryProfiles.end(call.access, indexName(call));
    return { status: 202 };
  },
};

function reportToWire({ profile, inForce, bytes }: MemoryReport): object {
  return { profile, in_force: inForce, bytes };
}
