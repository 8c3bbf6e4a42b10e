// PUT /auth/password: sets the password with which a person signs in again.
import { PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN } from '../../../domain/administration/limits.ts';
import { fault, invalid } from '../../../domain/faults.ts';
import type { Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import type { IdentityCall, IdentityEndpoint } from './identity-endpoint.ts';
import { loginReply, loginSuccess } from './log-in.ts';

async function handle({ session, fields, requestId, services }: IdentityCall): Promise<Reply> {
  if (session === null) throw fault('unauthenticated');
  const { password, current_password: current } = fields;
  if (
    typeof password !== 'string' ||
    password.length < PASSWORD_CHARS_MIN ||
    password.length > PASSWORD_CHARS_MAX
  ) {
    throw invalid(`password must be a string of ${PASSWORD_CHARS_MIN} to ${PASSWORD_CHARS_MAX} characters`);
  }
  if (current !== undefined && (typeof current !== 'string' || current.length > PASSWORD_CHARS_MAX)) {
    throw invalid(`current_password must be a string of at most ${PASSWORD_CHARS_MAX} characters`);
  }
  const signedIn = await services.people.setPassword(session, {
    password,
    current: current ?? null,
    requestId,
  });
  return loginReply(signedIn, services);
}

export const setPassword: IdentityEndpoint = {
  id: 'set_password',
  method: 'PUT',
  path: '/auth/password',
  tag: 'Identity',
  summary: 'Set a password',
  description:
    "Sets the password of the person whose access token the request has, for the token's organization. Earlier tokens of the person become invalid; the response has a new one.",
  since: '2026-07',
  permission: null,
  credential: 'session',
  versioning: 'identity',
  forms: false,
  errors: 'identity',
  body: Type.Object({
    password: Type.String({
      minLength: PASSWORD_CHARS_MIN,
      maxLength: PASSWORD_CHARS_MAX,
      examples: ['correct horse battery staple'],
    }),
    current_password: Type.Optional(
      Type.String({
        maxLength: PASSWORD_CHARS_MAX,
        description: 'Required if the person has a password.',
        examples: ['the former password'],
      }),
    ),
  }),
  success: loginSuccess,
  faults: ['invalid-argument', 'body-not-json', 'too-many-attempts', 'overloaded'],
  handle,
};
