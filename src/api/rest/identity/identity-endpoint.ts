// What an identity endpoint is: its details, what the caller has to show, and one handler.
import type { Identities, InviteAcceptance, Session } from '../../../domain/administration/identity.ts';
import type { Credential, EndpointDetails, QueryValues, Reply } from '../../endpoint.ts';

export interface IdentityServices {
  readonly identities: Identities;
  readonly invites: InviteAcceptance;
}

export interface IdentityCall {
  /** Null where the endpoint asks for no credential. */
  readonly session: Session | null;
  readonly requestId: string;
  readonly query: QueryValues;
  /** Fields of the JSON or form body; empty when there is none. Not yet checked. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** True when the body came from a form, as browsers send it. */
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
