// The parts of the API: where each is served, which credential it requires, and the faults that all its endpoints share.
import type { FaultName } from '../../domain/faults.ts';
import type { EndpointDetails } from '../endpoint.ts';
import type { AssistantEndpoint } from '../rest/assistants/assistant-endpoint.ts';
import type { IdentityEndpoint } from '../rest/identity/identity-endpoint.ts';
import { readsAtMoment, refusesMoment } from '../rest/records/as-of.ts';

/** An endpoint, with fields that only some APIs set. */
export type DescribedEndpoint = EndpointDetails &
  Partial<Pick<IdentityEndpoint, 'forms'>> & {
    readonly kind?: AssistantEndpoint['kind'];
    /** Of data endpoints that the engine serves. */
    readonly queue?: 'read' | 'write';
  };

export type Plane =
  | 'control'
  | 'data'
  | 'inference'
  | 'assistant'
  | 'openai'
  | 'admin'
  | 'identity'
  | 'console';
export type EndpointSets = Readonly<Record<Plane, readonly DescribedEndpoint[]>>;

export interface PlaneDetails {
  readonly plane: Plane;
  readonly title: string;
  readonly where: string;
}

/** In the order of the reference. */
export const PLANES: readonly PlaneDetails[] = [
  { plane: 'control', title: 'Control plane', where: 'On the base address, with an API key.' },
  {
    plane: 'data',
    title: 'Data plane',
    where:
      "At the index's own address, its host field, or below `/data/INDEX_NAME` on the base address, with an API key.",
  },
  { plane: 'inference', title: 'Inference', where: 'On the base address, with an API key.' },
  {
    plane: 'assistant',
    title: 'Assistants',
    where: 'On the base address, with an API key; also without the prefix `/assistant`.',
  },
  {
    plane: 'openai',
    title: 'OpenAI form',
    where: 'On the base address, with an API key as the bearer token. Their errors have the form of OpenAI.',
  },
  {
    plane: 'admin',
    title: 'Administration',
    where: 'On the base address, with an access token as the bearer token.',
  },
  { plane: 'identity', title: 'Identity', where: 'On the base address.' },
  {
    plane: 'console',
    title: 'Console',
    where: 'On the base address, with the cookie of a session and its token in `X-Pinyon-Session`.',
  },
];

/** The alternative security schemes of an endpoint; none if it is public. */
export function credentialsOf({ credential }: DescribedEndpoint, plane: Plane): readonly string[] {
  if (plane === 'admin') return ['AccessToken'];
  if (credential === 'bearer-key') return ['ApiKey', 'BearerKey'];
  if (plane === 'console') return credential === 'none' ? [] : ['ConsoleSession'];
  if (plane !== 'identity') return credential === 'none' ? [] : ['ApiKey'];
  return credential === 'session' ? ['SessionToken', 'ApiKey'] : [];
}

/** Faults that follow from the plane and the endpoint's inputs, beside those it lists. */
export function sharedFaults(endpoint: DescribedEndpoint, plane: Plane): readonly FaultName[] {
  return [
    ...versionFaults(endpoint, plane),
    ...(credentialsOf(endpoint, plane).length === 0 ? [] : (['unauthenticated'] as const)),
    ...(endpoint.permission === null
      ? []
      : ([plane === 'admin' ? 'access-forbidden' : 'permission-denied'] as const)),
    ...(endpoint.body === undefined || endpoint.kind === 'upload' ? [] : bodyFaults(plane)),
    ...(plane === 'data' ? (['unknown-host', 'index-not-ready'] as const) : []),
    ...(takesMoment(endpoint, plane) ? (['invalid-argument'] as const) : []),
    'overloaded',
    'internal',
    'out-of-files',
    'shutting-down',
  ];
}

/** True where the header with a moment is read or refused. */
function takesMoment(endpoint: DescribedEndpoint, plane: Plane): boolean {
  const mayRefuse = plane === 'control' || plane === 'data' || plane === 'assistant';
  return readsAtMoment(endpoint) || (mayRefuse && refusesMoment(endpoint));
}

function versionFaults({ versioning }: DescribedEndpoint, plane: Plane): readonly FaultName[] {
  if (plane !== 'identity') return versioning === 'ignored' ? [] : ['unsupported-version', 'missing-version'];
  return versioning === 'identity' ? ['unsupported-version'] : [];
}

function bodyFaults(plane: Plane): readonly FaultName[] {
  const common: readonly FaultName[] = ['body-not-json', 'unsupported-encoding', 'payload-too-large'];
  return plane === 'data' ? common : [...common, 'unsupported-media-type'];
}
