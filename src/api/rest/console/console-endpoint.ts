// What an endpoint of the console is: sessions of browsers, in place of keys and tokens.
import type { UserStore } from '../../../catalog/port.ts';
import type {
  ConsoleSession,
  OwnSession,
  PresentSession,
  ProviderSession,
  SignInCodes,
  SignInHolder,
} from '../../../domain/administration/console-session.ts';
import type { Identities, People } from '../../../domain/administration/identity.ts';
import type { Principal } from '../../../domain/administration/model.ts';
import type { ProviderSignIn } from '../../../domain/administration/provider-sign-in.ts';
import type { Credential, EndpointDetails, Reply } from '../../endpoint.ts';

/** A session that was just opened; the answer sets its cookie. */
export interface OpenedSession {
  /** The half of the session that the page adds to its requests. */
  readonly token: string;
  readonly session: ConsoleSession;
}

/** A cookie of a sign-in at a provider, while the browser is away. */
export interface PendingCookie {
  readonly id: string;
  readonly value: string;
  readonly seconds: number;
}

/** The sessions of one principal. */
export interface OwnSessions {
  /** The one used last first. */
  list(): readonly OwnSession[];
  /** False when the holder has none of this id. */
  endOne(id: string): boolean;
  endAll(): void;
}

export interface ConsoleServices {
  readonly identities: Pick<Identities, 'exchange' | 'logIn'> & {
    accessOf(
      token: string,
    ): Promise<{ readonly principal: Principal; readonly organizationId: string } | undefined>;
  };
  readonly people: Pick<People, 'signIn'>;
  readonly codes: SignInCodes;
  /** Null where no OpenID provider is configured. */
  readonly provider: ProviderSignIn | null;
  readonly users: Pick<UserStore, 'endSessions'>;
  /** The version of the product. */
  readonly release: string;
}

export interface ConsoleCall {
  /** Null where the endpoint requires no session. */
  readonly session: ConsoleSession | null;
  /** Unvalidated fields of the JSON body; empty without one. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, string>>;
  /** What follows the question mark in the address. */
  readonly search: string;
  readonly requestId: string;
  /** Of the client. */
  readonly address: string;
  /** The host and port that the browser asked. */
  readonly host: string;
  /** Replaces the browser's session; undefined when the holder's credential is gone meanwhile. */
  readonly open: (holder: SignInHolder) => OpenedSession | undefined;
  /** Ends the browser's session and removes its cookie; returns what it kept of its provider. */
  readonly end: () => ProviderSession | undefined;
  /** The sessions of the caller; only where there is a session. */
  readonly own: OwnSessions;
  readonly setPending: (cookie: PendingCookie) => void;
  /** Removes the cookie of a pending sign-in and returns its value. */
  readonly takePending: (id: string) => string | undefined;
  /** The holder of the session that the request presents, where the endpoint requires none. */
  readonly present: () => PresentSession | null;
  readonly services: ConsoleServices;
}

export interface ConsoleEndpoint extends EndpointDetails {
  readonly credential: Extract<Credential, 'console-session' | 'none'>;
  readonly handle: (call: ConsoleCall) => Promise<Reply>;
}
