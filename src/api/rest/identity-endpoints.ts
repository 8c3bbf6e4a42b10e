// The identity endpoints, in the order of the reference.
import { acceptInvite, showInvite } from './identity/accept-invite.ts';
import { checkIdentity } from './identity/check-identity.ts';
import { exchangeToken } from './identity/exchange-token.ts';
import type { IdentityEndpoint } from './identity/identity-endpoint.ts';
import { logIn, logInAtWorkspace } from './identity/log-in.ts';
import { setPassword } from './identity/set-password.ts';

export const identityEndpoints: readonly IdentityEndpoint[] = [
  exchangeToken,
  logIn,
  logInAtWorkspace,
  setPassword,
  checkIdentity,
  showInvite,
  acceptInvite,
];
