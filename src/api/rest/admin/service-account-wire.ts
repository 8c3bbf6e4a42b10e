// The wire form of service accounts, without their secret and roles.
import type { ServiceAccount } from '../../../domain/administration/model.ts';
import { Type } from '../../schema/type.ts';
import { idParams } from './path-ids.ts';

export const ServiceAccountObject = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    client_id: Type.String({ description: 'The id for the token exchange.' }),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({
      format: 'date-time',
      description: 'Last change of the name; rotating the secret does not count.',
    }),
  },
  {
    title: 'ServiceAccount',
    examples: [
      {
        id: '5e6f7081-9a0b-4c1d-8e2f-3a4b5c6d7e8f',
        name: 'deployer',
        client_id: 'c1a2b3c4d5e6f7081',
        created_at: '2026-07-01T09:30:00.000Z',
        updated_at: '2026-07-01T09:30:00.000Z',
      },
    ],
  },
);

export const ServiceAccountWithSecret = Type.Object(
  {
    service_account: ServiceAccountObject,
    client_secret: Type.String({
      description: 'Shown only once; the server stores a digest of it.',
      examples: ['example-secret'],
    }),
  },
  { title: 'ServiceAccountWithSecret' },
);

export const ServiceAccountParams = idParams('service_account_id', 'Id of the service account.');

export function serviceAccountToWire({ id, name, clientId, createdAt, updatedAt }: ServiceAccount) {
  return { id, name, client_id: clientId, created_at: createdAt, updated_at: updatedAt };
}
