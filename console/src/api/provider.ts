// Signing in at an OpenID provider: leaves for it, and finishes with what it sends back.
import { signal } from '@preact/signals';
import { go, hrefOf } from '../router.ts';
import { call, request } from './call.ts';
import { problemOf } from './problem.ts';
import { openSession } from './sign-in.ts';

/** The provider of the server; null where it has none. */
export interface Provider {
  readonly name: string;
}

const TOKEN = 'pinyon-provider-token';

/** What the provider sent back with the address of this page; null when it was used, and on all other pages. */
export const callback = signal(readCallback());

addEventListener('hashchange', () => {
  callback.value = readCallback();
});

export async function readProvider(abort: AbortSignal): Promise<Provider | null> {
  const ways = await call<{ readonly provider: Provider | null }>('GET', 'console/sign-in', {
    signal: abort,
  });
  return ways.provider;
}

/** Leaves this page. @param connect to connect the identity to the account that is signed in @throws Problem */
export async function goToProvider(connect = false): Promise<void> {
  const body = { return_to: location.hash, connect };
  const response = await request('POST', 'console/oidc', { body });
  if (!response.ok) throw await problemOf(response);
  const begun: { readonly location: string; readonly token: string } = await response.json();
  // Of this tab, so that several may sign in at the same time.
  sessionStorage.setItem(TOKEN, begun.token);
  leaveFor(begun.location);
}

/** @throws Problem */
export async function returnFromProvider(query: string): Promise<void> {
  const token = sessionStorage.getItem(TOKEN) ?? '';
  sessionStorage.removeItem(TOKEN);
  // The code leaves the address, so that it is in no history.
  history.replaceState(null, '', hrefOf([]));
  const { return_to: returnTo = '' } = await openSession({ callback: query, callback_token: token });
  callback.value = null;
  if (returnTo.startsWith('#/')) location.hash = returnTo;
  dispatchEvent(new Event('hashchange'));
}

/** Goes on without the sign-in. */
export function dropCallback(): void {
  callback.value = null;
  go([]);
}

/** Addresses of pages only, whatever the server says. */
export function leaveFor(address: string): void {
  if (/^https?:$/.test(new URL(address).protocol)) location.assign(address);
}

function readCallback(): string | null {
  const [path, query = ''] = location.hash.split('?', 2);
  return path === '#/sign-in' ? new URLSearchParams(query).get('callback') : null;
}
