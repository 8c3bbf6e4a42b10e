// Signing in and out, and finding out at the start who is signed in.
import { call, request, resumeCalls } from './call.ts';
import { problemOf } from './problem.ts';
import {
  describeSession,
  forgetSession,
  keepToken,
  rememberSession,
  type Session,
  state,
  token,
} from './session.ts';

const OK = 200;
const UNAUTHENTICATED = 401;
const RETRY_MS = 2_000;

interface OpenedSession extends Session {
  readonly token: string;
  readonly return_to?: string;
}

export type Credential =
  | { readonly api_key: string }
  | { readonly email: string; readonly password: string }
  | { readonly client_id: string; readonly client_secret: string }
  | { readonly code: string }
  | { readonly callback: string; readonly callback_token: string };

/** @throws Problem when the credential is wrong */
export async function signIn(credential: Credential): Promise<void> {
  await openSession(credential);
}

/** As `signIn`; resolves to where to go on, after a sign-in at a provider. @throws Problem */
export async function openSession(credential: Credential): Promise<{ readonly return_to?: string }> {
  const response = await request('POST', 'console/session', { body: credential });
  if (!response.ok) throw await problemOf(response);
  const { token: half, return_to, ...opened }: OpenedSession = await response.json();
  keepToken(half);
  describeSession(opened);
  state.value = 'in';
  resumeCalls();
  return return_to === undefined ? {} : { return_to };
}

/** Resolves to the address where the session at the provider ends, if there is one. */
export async function signOut(): Promise<string | null> {
  const response = await request('DELETE', 'console/session').catch(() => undefined);
  forgetSession();
  if (response?.status !== OK) return null;
  const { location }: { readonly location: string } = await response.json();
  return location;
}

/**
 * Goes on in the session that an earlier page of this browser opened, and asks whether it still holds, until the server
 * answers: a refusal for another reason, like a full queue, says nothing about it, and all tabs share it.
 */
export async function findSession(): Promise<void> {
  if (token() === null) {
    state.value = 'out';
    return;
  }
  rememberSession();
  let response = await request('GET', 'console/session');
  while (!response.ok) {
    if (response.status === UNAUTHENTICATED) {
      forgetSession();
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    response = await request('GET', 'console/session');
  }
  describeSession(await response.json());
  state.value = 'in';
  resumeCalls();
}

/** Reads the holder's roles again. */
export async function refreshSession(): Promise<void> {
  describeSession(await call<Session>('GET', 'console/session'));
}

/** What another tab has done: the session is the same one for all. What was typed in this tab stays. */
export async function followOtherTabs(): Promise<void> {
  if (token() === null) {
    if (state.value === 'in') state.value = 'expired';
    return;
  }
  const response = await request('GET', 'console/session');
  if (!response.ok) return;
  describeSession(await response.json());
  state.value = 'in';
  resumeCalls();
}
