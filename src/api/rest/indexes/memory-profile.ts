// Endpoints below /indexes/{index_name}/memory: what of an index must be in memory to be searched.
import { MEMORY_PROFILES, type MemoryReport, memoryProfileOf } from '../../../domain/memory-profile.ts';
import { Type } from '../../schema/type.ts';
import { indexSetting } from './index-setting.ts';

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

export const memoryEndpoints = indexSetting({
  id: 'memory',
  tag: 'Memory',
  path: '/indexes/{index_name}/memory',
  body: MemoryBody,
  shown: { schema: MemoryObject, description: 'The profile, and the bytes.' },
  texts: {
    describe: { summary: 'Describe what of an index is in memory, and what on disk' },
    set: {
      summary: 'Choose what of an index is in memory, and what on disk',
      description:
        'Searches go on while what is in memory is made anew. Until its graph is built, they compare all records.',
    },
    end: { summary: "Return to the server's default of what is in memory" },
  },
  callsOf: ({ memoryProfiles }) => memoryProfiles,
  valueOf: ({ profile }) => memoryProfileOf(profile),
  toWire: reportToWire,
});

function reportToWire({ profile, inForce, bytes }: MemoryReport): object {
  return { profile, in_force: inForce, bytes };
}
