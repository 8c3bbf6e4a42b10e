// The endpoints of the console's sessions, in the order of the reference.
import { beginProviderSignIn } from './console/begin-provider-sign-in.ts';
import type { ConsoleEndpoint } from './console/console-endpoint.ts';
import { describeSession } from './console/describe-session.ts';
import { describeSignIn } from './console/describe-sign-in.ts';
import { endSession } from './console/end-session.ts';
import { endSessions } from './console/end-sessions.ts';
import { listSessions } from './console/list-sessions.ts';
import { providerCallback } from './console/provider-callback.ts';
import { signIn } from './console/sign-in.ts';
import { signOut } from './console/sign-out.ts';

export const consoleEndpoints: readonly ConsoleEndpoint[] = [
  signIn,
  describeSession,
  signOut,
  listSessions,
  endSession,
  endSessions,
  describeSignIn,
  beginProviderSignIn,
  providerCallback,
];
