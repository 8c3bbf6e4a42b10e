// The two bodies of configure index, and the change that each requests.
import { invalid } from '../../../domain/faults.ts';
import type { IndexChange } from '../../../domain/index-lifecycle.ts';
import { POD_TYPES } from '../../../domain/pods.ts';
import { checkTags, type TagAlphabet } from '../../../domain/tags.ts';
import { type Static, Type } from '../../schema/type.ts';
import { choice, DeletionProtectionBody, deletionProtectionNamed, mapOf, TagsBody } from './body-parts.ts';
import { ConfigureEmbedBody, EmbedParametersBody } from './embed-bodies.ts';
import { ReadCapacityBody, requestedCapacity } from './read-capacity-body.ts';

const common = {
  deletion_protection: Type.Optional(DeletionProtectionBody),
  tags: Type.Optional(TagsBody),
};

const pods = {
  replicas: Type.Optional(Type.Integer({ minimum: 1 })),
  pod_type: Type.Optional(choice(POD_TYPES, 'Can only grow within its family.')),
};

const CapacitySpec = Type.Object({ read_capacity: Type.Optional(ReadCapacityBody) });

export const OlderConfigureBody = Type.Object(
  {
    ...common,
    spec: Type.Optional(
      Type.Object({
        serverless: Type.Optional(CapacitySpec),
        pod: Type.Optional(Type.Object(pods)),
        byoc: Type.Optional(CapacitySpec),
      }),
    ),
    embed: Type.Optional(ConfigureEmbedBody),
  },
  {
    title: 'ConfigureIndexRequestOlder',
    description: 'The form up to 2026-04.',
    examples: [{ deletion_protection: 'enabled', tags: { team: 'search' } }],
  },
);

const SemanticText = Type.Object(
  {
    type: choice(['semantic_text']),
    model: Type.Optional(Type.String({ description: 'Must be the model of the index.' })),
    write_parameters: Type.Optional(EmbedParametersBody),
    read_parameters: Type.Optional(EmbedParametersBody),
  },
  { additionalProperties: false },
);

export const NewerConfigureBody = Type.Object(
  {
    ...common,
    deployment: Type.Optional(
      Type.Object(pods, { additionalProperties: false, description: 'Pod indexes only.' }),
    ),
    read_capacity: Type.Optional(ReadCapacityBody),
    schema: Type.Optional(
      Type.Object(
        { fields: mapOf(SemanticText, 'Exactly one field, for an index with integrated embedding.') },
        { additionalProperties: false },
      ),
    ),
  },
  {
    title: 'ConfigureIndexRequest',
    additionalProperties: false,
    description: 'The form since 2026-07.',
    examples: [{ deletion_protection: 'enabled', tags: { team: 'search' } }],
  },
);

type OlderBody = Static<typeof OlderConfigureBody>;
type NewerBody = Static<typeof NewerConfigureBody>;

/** Attributes of an index that never change; ignoring them would look like success. */
const FIXED = ['name', 'dimension', 'metric', 'vector_type'];
const FIXED_IN_SPEC = ['cloud', 'region', 'environment', 'shards', 'pods'];

/** @throws invalid-argument */
export function changeFromOlder(body: OlderBody, alphabet: TagAlphabet): IndexChange {
  refuseFixed(body, FIXED);
  const kinds = (['serverless', 'pod', 'byoc'] as const).filter((kind) => body.spec?.[kind] !== undefined);
  const [kind, ...others] = kinds;
  if (others.length > 0) throw invalid('spec must contain at most one of serverless, pod or byoc.');
  for (const each of kinds) refuseFixed(body.spec?.[each] ?? {}, FIXED_IN_SPEC);
  const capacity = (body.spec?.serverless ?? body.spec?.byoc)?.read_capacity;
  return {
    ...commonChange(body, alphabet),
    ...podChange(body.spec?.pod ?? {}),
    ...(capacity === undefined ? {} : { readCapacity: requestedCapacity(capacity) }),
    ...(kind === undefined ? {} : { deploymentKind: kind }),
  };
}

/** @throws invalid-argument */
export function changeFromNewer(body: NewerBody, alphabet: TagAlphabet): IndexChange {
  const { deployment, read_capacity: capacity } = body;
  return {
    ...commonChange(body, alphabet),
    ...podChange(deployment ?? {}),
    ...(capacity === undefined ? {} : { readCapacity: requestedCapacity(capacity) }),
    ...(deployment === undefined ? {} : { deploymentKind: 'pod' }),
  };
}

function commonChange(body: Pick<OlderBody, keyof typeof common>, alphabet: TagAlphabet): IndexChange {
  const { tags, deletion_protection: protection } = body;
  if (tags !== undefined) checkTags(tags, alphabet);
  return {
    ...(tags === undefined ? {} : { tags }),
    ...(protection === undefined ? {} : { deletionProtection: deletionProtectionNamed(protection) }),
  };
}

function podChange({ replicas, pod_type: podType }: NonNullable<NewerBody['deployment']>): IndexChange {
  return {
    ...(replicas === undefined ? {} : { replicas }),
    ...(podType === undefined ? {} : { podType }),
  };
}

function refuseFixed(body: object, fixed: readonly string[]): void {
  const field = fixed.find((name) => Object.hasOwn(body, name));
  if (field !== undefined) throw invalid(`${field} of an index cannot be changed.`);
}
