// The read_capacity of a request body.
import { NODE_TYPES, type RequestedCapacity } from '../../../domain/read-capacity.ts';
import { type Static, Type } from '../../schema/type.ts';
import { choice } from './body-parts.ts';

export const ReadCapacityBody = Type.Object(
  {
    mode: choice(['OnDemand', 'Dedicated']),
    dedicated: Type.Optional(
      Type.Object(
        {
          node_type: Type.Optional(choice(NODE_TYPES)),
          scaling: Type.Optional(choice(['Manual'])),
          manual: Type.Optional(
            Type.Object(
              {
                replicas: Type.Optional(Type.Integer({ minimum: 0, description: '0 pauses reads.' })),
                shards: Type.Optional(Type.Integer({ minimum: 1 })),
              },
              { additionalProperties: false },
            ),
          ),
        },
        { additionalProperties: false, description: 'With mode Dedicated only.' },
      ),
    ),
  },
  {
    title: 'RequestedReadCapacity',
    additionalProperties: false,
    description: 'Default: OnDemand. When changing a dedicated index, absent fields keep their values.',
  },
);

export function requestedCapacity({ mode, dedicated }: Static<typeof ReadCapacityBody>): RequestedCapacity {
  if (dedicated === undefined) return { mode };
  const { node_type: nodeType, scaling, manual } = dedicated;
  return {
    mode,
    dedicated: { nodeType, scaling, replicas: manual?.replicas, shards: manual?.shards },
  };
}
