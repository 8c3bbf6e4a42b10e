// POST /oauth/token: exchanges the id and secret of a service account for an access token.
import { fault, invalid } from '../../../domain/faults.ts';
import type { Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import type { IdentityCall, IdentityEndpoint } from './identity-endpoint.ts';

const GRANT = 'client_credentials';

async function handle({ fields, services: { identities } }: IdentityCall): Promise<Reply> {
  const grant = required(fields, 'grant_type');
  const clientId = required(fields, 'client_id');
  const clientSecret = required(fields, 'client_secret');
  const audience = required(fields, 'audience');
  if (grant !== GRANT) throw fault('unsupported-grant');
  if (!identities.audiences.includes(audience)) {
    throw invalid(`audience must be ${identities.audiences.join(' or ')}`);
  }
  const issued = await identities.exchange({ clientId, clientSecret });
  if (issued === undefined) throw fault('unauthenticated');
  return {
    status: 200,
    headers: { 'cache-control': 'no-store' },
    body: { access_token: issued.token, token_type: 'Bearer', expires_in: issued.seconds },
  };
}

/** @throws invalid-argument */
function required(fields: IdentityCall['fields'], name: string): string {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (typeof value !== 'string' || value === '') throw invalid(`${name} is required and must be a string`);
  return value;
}

const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.example';

export const exchangeToken: IdentityEndpoint = {
  id: 'exchange_token',
  method: 'POST',
  path: '/oauth/token',
  tag: 'Identity',
  summary: 'Get an access token',
  description:
    "The client credentials grant of OAuth 2, as JSON or as a form. The token gives access to the administration for half an hour; rotating the service account's secret or deleting the account invalidates it at once.",
  since: '2025-04',
  permission: null,
  credential: 'none',
  versioning: 'ignored',
  forms: true,
  errors: 'oauth',
  body: Type.Object({
    client_id: Type.String({ examples: ['c1a2b3c4d5e6f7081'] }),
    client_secret: Type.String({ examples: ['example-secret'] }),
    grant_type: Type.Literal(GRANT),
    audience: Type.String({
      description: 'https://api.pinecone.io/',
      examples: ['https://api.pinecone.io/'],
    }),
  }),
  success: {
    status: 200,
    description: 'The token.',
    schema: Type.Object({
      access_token: Type.String({ examples: [TOKEN] }),
      token_type: Type.Literal('Bearer'),
      expires_in: Type.Integer({ description: 'Seconds.', examples: [1800] }),
    }),
  },
  faults: ['invalid-argument', 'body-not-json', 'unsupported-grant', 'unauthenticated'],
  handle,
};
