// The identity endpoints, in the order of the reference.
import { acceptInvite, showInvite } from './accept-invite.ts';
import { checkIdentity } from './check-identity.ts';
import { exchangeToken } from './exchange-token.ts';
import type { IdentityEndpoint } from './identity-endpoint.ts';
import { logIn, logInAtWorkspace } from './log-in.ts';

export const identityEndpoints: readonly IdentityEndpoint[] = [
  exchangeToken,
  logIn,
  logInAtWorkspace,
  checkIdentity,
  showInvite,
  acceptInvite,
];
