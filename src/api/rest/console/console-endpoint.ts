// What an endpoint of the console is: sessions of browsers, in place of keys and tokens.
import type {
  ConsoleSession,
  SignInCodes,
  SignInHolder,
} from '../../../domain/administration/console-session.ts';
import type { Identities, People } from '../../../domain/administration/identity.ts';
import type { Principal } from '../../../domain/administration/model.ts';
import type { Credential, EndpointDetails, Reply } from '../../endpoint.ts';

/** A session that was just opened; the answer sets its cookie. */
export interface OpenedSession {
  /** The half of the session that the page adds to its requests. */
  readonly token: string;
  readonly session: ConsoleSession;
}

export interface ConsoleServices {
  readonly identities: Pick<Identities, 'exchange' | 'logIn'> & {
    accessOf(
      token: string,
    ): Promise<{ readonly principal: Principal; readonly organizationId: string } | undefined>;
  };
  readonly people: Pick<People, 'signIn'>;
  readonly codes: SignInCodes;
  /** The version of the product. */
  readonly release: string;
}

export interface ConsoleCall {
  /** Null where the endpoint requires no session. */
  readonly session: ConsoleSession | null;
  /** Unvalidated fields of the JSON body; empty without one. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Replaces the browser's session; undefined when the holder's credential is gone meanwhile. */
  readonly open: (holder: SignInHolder) => OpenedSession | undefined;
  /** Ends the browser's session and removes its cookie. */
  readonly end: () => void;
  readonly services: ConsoleServices;
}

export interface ConsoleEndpoint extends EndpointDetails {
  readonly credential: Extract<Credential, 'console-session' | 'none'>;
  readonly handle: (call: ConsoleCall) => Promise<Reply>;
}
