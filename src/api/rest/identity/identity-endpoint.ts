// What an identity endpoint is: its details, what the caller has to show, and one handler.
import type {
  Identities,
  InviteAcceptance,
  People,
  Session,
} from '../../../domain/administration/identity.ts';
import type { Credential, EndpointDetails, QueryValues, Reply } from '../../endpoint.ts';

export interface IdentityServices {
  readonly identities: Identities;
  readonly invites: InviteAcceptance;
  readonly people: People;
}

export interface IdentityCall {
  /** Null if the endpoint requires no credential. */
  readonly session: Session | null;
  readonly requestId: string;
  /** Of the client. */
  readonly address: string;
  readonly query: QueryValues;
  /** Unvalidated fields of the JSON or form body; empty without one. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** True if the body is a form, as browsers send it. */
  readonly isForm: boolean;
  readonly services: IdentityServices;
}

export interface IdentityEndpoint extends EndpointDetails {
  readonly credential: Extract<Credential, 'session' | 'none'>;
  /**
   * What the version header does: `identity` has a version in force, echoed, and refuses unknown ones;
   * `ignored` is for clients that send any or none.
   */
  readonly versioning: 'identity' | 'ignored';
  readonly forms: boolean;
  readonly handle: (call: IdentityCall) => Promise<Reply>;
}
