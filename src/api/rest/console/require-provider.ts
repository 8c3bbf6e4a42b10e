// The OpenID provider of the server, for endpoints that need one.
import type { ProviderSignIn } from '../../../domain/administration/provider-sign-in.ts';
import { invalid } from '../../../domain/faults.ts';
import type { ConsoleServices } from './console-endpoint.ts';

/** @throws invalid-argument where none is configured */
export function requireProvider({ provider }: ConsoleServices): ProviderSignIn {
  if (provider === null) throw invalid('This server has no OpenID provider; PINYON_OIDC_ISSUER sets one');
  return provider;
}
