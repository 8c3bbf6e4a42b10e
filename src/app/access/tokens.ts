// Access and session tokens: their claims count only as long as the catalog agrees.
import type { ApiKeyStore, Ref } from '../../catalog/port.ts';
import { mintOrganizationAccess, type OrganizationAccess } from '../../domain/access.ts';
import { digestOf, matchesDigest } from '../../domain/administration/credentials.ts';
import type {
  ClientCredentials,
  Identities,
  IssuedToken,
  Session,
} from '../../domain/administration/identity.ts';
import { ACCESS_TOKEN_SECONDS, SESSION_TOKEN_SECONDS } from '../../domain/administration/limits.ts';
import type { Principal } from '../../domain/administration/model.ts';
import type { Permission, Rights } from '../../domain/administration/permissions.ts';
import { newId } from '../../domain/ids.ts';
import type { KeyHolder, Principals } from './principals.ts';
import type { Claims, TokenSigner } from './token-signer.ts';
import type { WrongCredentials } from './wrong-credentials.ts';

/** The audience that official clients request. */
export const ACCESS_AUDIENCE = 'https://api.pinecone.io/';
/** Claims that clients read without verifying. */
const ORGANIZATION_CLAIM = 'https://pinecone.io/orgId';
const EMAIL_CLAIM = 'https://pinecone.io/email';
const PROJECT_READ: Permission = 'admin::project::read';
const NO_RIGHTS: Rights = { everywhere: new Set(), inProject: new Map() };
/** By which a node's clock may differ from that of another, generously. */
const CLOCKS_APART_SECONDS = 3_600;
const SECOND_MS = 1_000;
/** Compared for unknown clients, so that the answer takes the same time. */
const NOBODY_DIGEST = digestOf('nobody');

export interface TokensOptions {
  /** Counts wrong secrets; by default, they are not counted. */
  readonly wrongCredentials?: Pick<WrongCredentials, 'ofClient'>;
  /** By default, sessions of a key end with the key, also where its project has gone with it. */
  readonly keys?: Pick<ApiKeyStore, 'wasDeleted'>;
}

export class Tokens implements Identities {
  readonly audiences = [ACCESS_AUDIENCE];
  readonly #principals: Principals;
  readonly #signer: TokenSigner;
  readonly #options: TokensOptions;

  constructor(principals: Principals, signer: TokenSigner, options: TokensOptions = {}) {
    this.#principals = principals;
    this.#signer = signer;
    this.#options = options;
  }

  async exchange({ clientId, clientSecret }: ClientCredentials): Promise<IssuedToken | undefined> {
    const account = this.#principals.serviceAccountByClient(clientId);
    const isRight = matchesDigest(clientSecret, account?.secretSha256 ?? NOBODY_DIGEST);
    if (account === undefined || !isRight) {
      this.#options.wrongCredentials?.ofClient(clientId);
      return undefined;
    }
    const { id, organizationId, generation } = account;
    return this.#issueAccess({ type: 'service_account', id }, organizationId, {
      generation,
      email: `${clientId}@service-account`,
    });
  }

  /**
   * Issues a token to a person whom the caller has authenticated.
   * @param generation of the person's tokens when the credential was read; by default the present one
   */
  async issueToUser(userId: string, organizationId: string, generation?: number): Promise<IssuedToken> {
    const user = this.#principals.user(userId);
    if (user === undefined) throw new Error(`There is no user ${userId}.`);
    return this.#issueAccess({ type: 'user', id: userId }, organizationId, {
      email: user.email,
      generation: generation ?? user.generation,
    });
  }

  /** Undefined for a token that is invalid, expired, or revoked by a rotation, deletion or removal. */
  async accessOf(token: string): Promise<OrganizationAccess | undefined> {
    const claims = await this.#signer.verify('at+jwt', token);
    if (claims === undefined || claims.aud !== ACCESS_AUDIENCE) return undefined;
    const { sub, [ORGANIZATION_CLAIM]: organizationId } = claims;
    if (typeof sub !== 'string' || typeof organizationId !== 'string') return undefined;
    const principal = this.#living(claims, sub, organizationId);
    if (principal === undefined) return undefined;
    const rights = this.#principals.rights(organizationId, principal);
    // A person without a role is not a member; a service account without one is known but may do nothing.
    if (rights === undefined && principal.type === 'user') return undefined;
    return mintOrganizationAccess({ organizationId, principal, rights: rights ?? NO_RIGHTS });
  }

  async logIn(
    apiKey: string | undefined,
  ): Promise<(IssuedToken & { readonly session: Session }) | undefined> {
    const holder = this.#principals.authenticateKey(apiKey);
    if (holder === undefined) return undefined;
    const session = sessionOfKey(holder);
    const { principal, organizationId, projectId } = session;
    const claims = { sub: principal.id, [ORGANIZATION_CLAIM]: organizationId, project_id: projectId };
    const token = await this.#signer.sign('session+jwt', claims, SESSION_TOKEN_SECONDS);
    return { token, seconds: SESSION_TOKEN_SECONDS, session };
  }

  /**
   * Becomes invalid with its key, except that sessions of keys that were deleted with their project still identify the
   * holder: the identity check answers for projects that no longer exist.
   */
  async sessionOf(token: string): Promise<Session | undefined> {
    const claims = await this.#signer.verify('session+jwt', token);
    if (claims === undefined) return this.#sessionOfPerson(token);
    const { sub, project_id: projectId, [ORGANIZATION_CLAIM]: organizationId } = claims;
    if (typeof sub !== 'string' || typeof projectId !== 'string' || typeof organizationId !== 'string') {
      return undefined;
    }
    const isGone = this.#principals.keyHolder(sub) === undefined;
    if (isGone && !(await this.#isGoneWithProject(claims, { organizationId, id: sub }))) return undefined;
    return { principal: { type: 'api_key', id: sub }, user: sub, projectId, organizationId };
  }

  /** False for a key that was deleted by itself, whether before its project or without it. */
  async #isGoneWithProject(claims: Claims, key: Ref): Promise<boolean> {
    if (this.#principals.project(String(claims.project_id)) !== undefined) return false;
    const { keys } = this.#options;
    const since = new Date((Number(claims.iat) - CLOCKS_APART_SECONDS) * SECOND_MS).toISOString();
    return keys !== undefined && !(await keys.wasDeleted(key, since));
  }

  /** People identify themselves by their access token. */
  async #sessionOfPerson(token: string): Promise<Session | undefined> {
    const access = await this.accessOf(token);
    if (access?.principal.type !== 'user') return undefined;
    const { principal, organizationId, rights } = access;
    const user = this.#principals.user(principal.id);
    if (user === undefined) return undefined;
    const projectId =
      this.#principals
        .projectsOf(organizationId)
        .find(({ id }) => rights.everywhere.has(PROJECT_READ) || rights.inProject.get(id)?.has(PROJECT_READ))
        ?.id ?? '';
    return { principal, user: user.email, projectId, organizationId };
  }

  projectName(projectId: string): string | null {
    return this.#principals.project(projectId)?.name ?? null;
  }

  /** Returns the principal of a token, unless its generation is outdated. */
  #living(claims: Claims, id: string, organizationId: string): Principal | undefined {
    if (claims.principal === 'user') {
      return this.#principals.user(id)?.generation === claims.generation ? { type: 'user', id } : undefined;
    }
    const account = this.#principals.serviceAccount(id);
    const isCurrent =
      claims.principal === 'service_account' &&
      account?.generation === claims.generation &&
      account?.organizationId === organizationId;
    return isCurrent ? { type: 'service_account', id } : undefined;
  }

  async #issueAccess(
    { type, id }: Principal,
    organizationId: string,
    { generation, email }: { readonly generation: number; readonly email: string },
  ): Promise<IssuedToken> {
    const claims = {
      sub: id,
      aud: ACCESS_AUDIENCE,
      jti: newId(),
      principal: type,
      generation,
      [ORGANIZATION_CLAIM]: organizationId,
      [EMAIL_CLAIM]: email,
    };
    const token = await this.#signer.sign('at+jwt', claims, ACCESS_TOKEN_SECONDS);
    return { token, seconds: ACCESS_TOKEN_SECONDS };
  }
}

export function sessionOfKey({ access }: KeyHolder): Session {
  const { principalId, projectId, organizationId } = access;
  return { principal: { type: 'api_key', id: principalId }, user: principalId, projectId, organizationId };
}
