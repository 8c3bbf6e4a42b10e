// The wire form of organizations.
import { PLACE_NAME_CHARS_MAX } from '../../../domain/administration/limits.ts';
import type { Organization } from '../../../domain/administration/model.ts';
import { Type } from '../../schema/type.ts';

export const OrganizationObject = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    plan: Type.Literal('Enterprise'),
    payment_status: Type.Literal('Active'),
    created_at: Type.String({ format: 'date-time' }),
    support_tier: Type.Literal('Enterprise'),
  },
  {
    title: 'Organization',
    examples: [
      {
        id: '8192a3b4-2a3b-4c4d-8e5f-6a7b8c9d0e1f',
        name: 'Example',
        plan: 'Enterprise',
        payment_status: 'Active',
        created_at: '2026-07-01T09:30:00.000Z',
        support_tier: 'Enterprise',
      },
    ],
  },
);

export const OrganizationParams = Type.Object({
  organization_id: Type.String({
    description: 'Id of the organization.',
    examples: ['8192a3b4-2a3b-4c4d-8e5f-6a7b8c9d0e1f'],
  }),
});

export const PlaceName = Type.String({
  minLength: 1,
  maxLength: PLACE_NAME_CHARS_MAX,
  description: 'Without control characters.',
  examples: ['search'],
});

/** Clients require plan, payment and support, which exist at the public service only; this server reports the highest. */
export function organizationToWire({ id, name, createdAt }: Organization) {
  return {
    id,
    name,
    plan: 'Enterprise',
    payment_status: 'Active',
    created_at: createdAt,
    support_tier: 'Enterprise',
  };
}
