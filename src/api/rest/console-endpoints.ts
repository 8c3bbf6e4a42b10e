// The endpoints of the console's sessions, in the order of the reference.
import type { ConsoleEndpoint } from './console/console-endpoint.ts';
import { describeSession } from './console/describe-session.ts';
import { signIn } from './console/sign-in.ts';
import { signOut } from './console/sign-out.ts';

export const consoleEndpoints: readonly ConsoleEndpoint[] = [signIn, describeSession, signOut];
