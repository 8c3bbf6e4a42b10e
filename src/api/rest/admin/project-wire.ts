// The wire form of projects and of changes to them.
import type { ProjectChange } from '../../../catalog/port.ts';
import { PLACE_NAME_CHARS_MAX } from '../../../domain/administration/limits.ts';
import type { Project } from '../../../domain/administration/model.ts';
import { checkDisplayName } from '../../../domain/administration/names.ts';
import { invalid } from '../../../domain/faults.ts';
import { type Static, Type } from '../../schema/type.ts';
import { PlaceName } from './organization-wire.ts';
import { idParams } from './path-ids.ts';

/** The maximum of a 32-bit column. */
export const PODS_MAX = 2_147_483_647;

export const ProjectObject = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    max_pods: Type.Integer(),
    force_encryption_with_cmek: Type.Boolean(),
    organization_id: Type.String(),
    created_at: Type.String({ format: 'date-time' }),
  },
  {
    title: 'Project',
    examples: [
      {
        id: '2b3c4d5e-6f70-4a8b-9c0d-1e2f3a4b5c6d',
        name: 'search',
        max_pods: 0,
        force_encryption_with_cmek: false,
        organization_id: '8192a3b4-2a3b-4c4d-8e5f-6a7b8c9d0e1f',
        created_at: '2026-07-01T09:30:00.000Z',
      },
    ],
  },
);

export const ProjectParams = idParams('project_id', 'Id of the project.');

const MaxPods = Type.Optional(
  Type.Integer({ minimum: 0, maximum: PODS_MAX, description: 'Stored, but without effect.' }),
);

export const CreateProjectBody = Type.Object({
  name: PlaceName,
  max_pods: MaxPods,
  force_encryption_with_cmek: Type.Optional(Type.Boolean({ default: false })),
});

export const UpdateProjectBody = Type.Object({
  name: Type.Optional(PlaceName),
  max_pods: MaxPods,
  force_encryption_with_cmek: Type.Optional(Type.Boolean({ description: 'Cannot be reset once true.' })),
});

export function projectToWire({
  id,
  name,
  maxPods,
  forceEncryptionWithCmek,
  organizationId,
  createdAt,
}: Project) {
  return {
    id,
    name,
    max_pods: maxPods,
    force_encryption_with_cmek: forceEncryptionWithCmek,
    organization_id: organizationId,
    created_at: createdAt,
  };
}

/** The validated change of a body. @throws invalid-argument */
export function projectChange(body: Static<typeof UpdateProjectBody>): ProjectChange {
  const { name, max_pods: maxPods, force_encryption_with_cmek: forceEncryptionWithCmek } = body;
  if (name !== undefined) checkDisplayName(name, PLACE_NAME_CHARS_MAX);
  if (maxPods !== undefined && (maxPods < 0 || maxPods > PODS_MAX)) {
    throw invalid(`max_pods must be from 0 to ${PODS_MAX}`);
  }
  return {
    ...(name === undefined ? {} : { name }),
    ...(maxPods === undefined ? {} : { maxPods }),
    ...(forceEncryptionWithCmek === undefined ? {} : { forceEncryptionWithCmek }),
  };
}
