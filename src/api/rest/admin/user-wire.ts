// The wire form of users.
import type { User } from '../../../domain/administration/model.ts';
import { Type } from '../../schema/type.ts';
import { idParams } from './path-ids.ts';

export const UserObject = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    email: Type.String(),
    name: Type.Optional(Type.String({ description: 'Absent if the user has none.' })),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
  },
  {
    title: 'User',
    examples: [
      {
        id: 'a3b4c5d6-4a5b-4c6d-8e7f-8a9b0c1d2e3f',
        email: 'ada@example.org',
        name: 'Ada',
        created_at: '2026-07-01T09:30:00.000Z',
        updated_at: '2026-07-01T09:30:00.000Z',
      },
    ],
  },
);

export const UserParams = idParams('user_id', 'Id of the user.');

export function userToWire({ id, email, name, createdAt, updatedAt }: User) {
  return { id, email, ...(name === null ? {} : { name }), created_at: createdAt, updated_at: updatedAt };
}
