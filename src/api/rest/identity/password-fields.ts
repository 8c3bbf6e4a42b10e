// The fields by which a person signs in with a password.
import { EMAIL_CHARS_MAX, PASSWORD_CHARS_MAX } from '../../../domain/administration/limits.ts';
import { Type } from '../../schema/type.ts';

export const PASSWORD_FIELDS = {
  email: Type.Optional(Type.String({ maxLength: EMAIL_CHARS_MAX, examples: ['ada@example.org'] })),
  password: Type.Optional(
    Type.String({ maxLength: PASSWORD_CHARS_MAX, examples: ['correct horse battery staple'] }),
  ),
  organization_id: Type.Optional(
    Type.String({
      description: 'For people with passwords in several organizations. Default: the first one.',
      examples: ['7f8a9b0c-1d2e-4f3a-8b4c-5d6e7f8a9b0c'],
    }),
  ),
};
