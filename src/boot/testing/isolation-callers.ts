// Callers who may not: strangers, neighbors, callers without the right, and credentials that open nothing.
import { randomBytes } from 'node:crypto';
import { addOwner, defaultProject, newProjectKey } from '../../app/access/bootstrap-access.ts';
import { secretsFor, signingKeys } from '../../app/access/signing-secrets.ts';
import { createTokenSigner } from '../../app/access/token-signer.ts';
import type { Catalog } from '../../catalog/port.ts';
import type { PermissionSet } from '../../domain/administration/permissions.ts';
import { type ApiKeyRole, permissionsOf, type Role } from '../../domain/administration/roles.ts';
import { newId } from '../../domain/ids.ts';

const STRANGER = { clientId: 'strangerOwner', clientSecret: 't'.repeat(40) };
const DAY_MS = 86_400_000;
const FORGED_SECONDS = 3_600;
/** Keys of the victim's project that may do something, but not everything. */
const KEY_ROLES: readonly ApiKeyRole[] = ['ProjectViewer', 'ControlPlaneEditor', 'DataPlaneEditor'];
/** Of accounts in the victim's organization. */
const ACCOUNT_ROLES: readonly Role[] = ['OrgMember', 'OrgManager'];

export interface Caller {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly kind: 'key' | 'bearer-key' | 'token' | 'session';
  /** False for credentials that open nothing at all. */
  readonly isValid: boolean;
  /** What it may do with the victim's things; absent for strangers. */
  readonly rights?: PermissionSet;
}

export interface VictimAccess {
  readonly base: string;
  readonly catalog: Catalog;
  readonly organizationId: string;
  readonly projectId: string;
  /** The victim's key and token, which open everything. */
  readonly key: string;
  readonly token: string;
  readonly tokenOf: (credentials: typeof STRANGER) => Promise<string>;
  /** A request of the victim's, whose answer must be a success. */
  readonly own: (method: string, url: string, body?: unknown) => Promise<Record<string, unknown>>;
}

export async function isolationCallers(victim: VictimAccess): Promise<readonly Caller[]> {
  return [...(await keys(victim)), ...(await tokens(victim)), ...(await sessions(victim))];
}

const key = (name: string, value: string, isValid: boolean): Caller => ({
  ...{ name, kind: 'key', isValid },
  headers: { 'api-key': value },
});
const bearer = (name: string, value: string, kind: 'bearer-key' | 'token', isValid: boolean): Caller => ({
  ...{ name, kind, isValid },
  headers: { authorization: `Bearer ${value}` },
});

async function keys({ base, catalog, organizationId, projectId, ...victim }: VictimAccess) {
  const { administration } = catalog;
  const { id: neighborId } = await victim.own('POST', `${base}/admin/projects`, { name: 'neighbor' });
  const neighbor = (await administration.projects.list(organizationId)).find(({ id }) => id === neighborId);
  if (neighbor === undefined) throw new Error('the neighbor was not made');
  const by = { type: 'system', id: 'test', requestId: null } as const;
  const foreignId = newId();
  const foreignOrganization = { id: foreignId, name: 'strangers', createdAt: new Date().toISOString() };
  await administration.organizations.create(foreignOrganization, by);
  const strangers = await defaultProject(administration, foreignId);
  await addOwner(administration, foreignId, { name: 'stranger', ...STRANGER });
  const made = (name: string, roles?: readonly string[]) =>
    victim.own('POST', `${base}/admin/projects/${projectId}/api-keys`, { name, ...(roles && { roles }) });
  const roleless = String((await made('roleless', [])).value);
  const revoked = await made('revoked');
  await victim.own('DELETE', `${base}/admin/api-keys/${(revoked.key as { readonly id: string }).id}`);
  const neighborly = await newProjectKey(administration, neighbor, 'foreign');
  const foreign = await newProjectKey(administration, strangers, 'foreign');
  const limited: Caller[] = [];
  for (const role of KEY_ROLES) {
    const value = String((await made(role, [role])).value);
    limited.push({ ...key(`a key with the role ${role}`, value, true), rights: permissionsOf([role]) });
  }
  return [
    key('a key of a foreign project', neighborly, true),
    key('a key of a foreign organization', foreign, true),
    bearer('a key of a foreign organization as a token', foreign, 'bearer-key', true),
    { ...key('a key without a role', roleless, true), rights: permissionsOf([]) },
    ...limited,
    key('a revoked key', String(revoked.value), false),
    bearer('a revoked key as a token', String(revoked.value), 'bearer-key', false),
    key('a key with a letter more', `${victim.key}x`, false),
    key('a token as a key', victim.token, false),
  ];
}

async function tokens({ base, catalog, token, ...victim }: VictimAccess): Promise<readonly Caller[]> {
  const { signingKeys: stored } = catalog.administration;
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const secrets = secretsFor('token', await signingKeys(stored));
  const expired = await createTokenSigner(secrets, () => Date.now() - DAY_MS).sign('at+jwt', claims, 60);
  const other = secrets.map(({ id }) => ({ id, bytes: new Uint8Array(randomBytes(32)) }));
  const forged = await createTokenSigner(other).sign('at+jwt', claims, FORGED_SECONDS);
  const [head = '', body = '', signature = ''] = token.split('.');
  const text = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const limited: Caller[] = [];
  for (const role of [null, ...ACCOUNT_ROLES]) {
    const bindings = role === null ? [] : [{ resource_type: 'organization', role }];
    const account = await victim.own('POST', `${base}/admin/service-accounts`, {
      name: role ?? 'roleless',
      role_bindings: bindings,
    });
    const { client_id: clientId } = account.service_account as { readonly client_id: string };
    const value = await victim.tokenOf({ clientId, clientSecret: String(account.client_secret) });
    limited.push({
      ...bearer(`a token of an account with the role ${role}`, value, 'token', true),
      rights: permissionsOf(role === null ? [] : [role]),
    });
  }
  return [
    bearer('a token of a foreign organization', await victim.tokenOf(STRANGER), 'token', true),
    ...limited,
    bearer('an expired token', expired, 'token', false),
    bearer('a token of another signer', forged, 'token', false),
    bearer('a token without a signature', `${text({ alg: 'none', typ: 'at+jwt' })}.${body}.`, 'token', false),
    bearer(
      'an altered token',
      `${head}.${text({ ...claims, exp: claims.exp + DAY_MS })}.${signature}`,
      'token',
      false,
    ),
    bearer('a key as a token', victim.key, 'token', false),
  ];
}

/** Of the console, all of which name the victim's project. */
async function sessions({ base, projectId, key: victimKey }: VictimAccess): Promise<readonly Caller[]> {
  const signIn = async (body: object) => {
    const answer = await fetch(`${base}/console/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
    const { token } = (await answer.json()) as { readonly token: string };
    return { cookie, 'x-pinyon-session': token, 'x-pinyon-project': projectId };
  };
  const session = (name: string, headers: Caller['headers'], isValid: boolean): Caller => ({
    ...{ name, kind: 'session', isValid, headers },
  });
  const stranger = { client_id: STRANGER.clientId, client_secret: STRANGER.clientSecret };
  const own = await signIn({ api_key: victimKey });
  const ended = await signIn({ api_key: victimKey });
  await fetch(`${base}/console/session`, { method: 'DELETE', headers: ended });
  const foreign = await signIn(stranger);
  return [
    session('a session of a foreign organization', foreign, true),
    session('a session that has ended', ended, false),
    session("a session's cookie with the token of another", { ...own, cookie: foreign.cookie }, false),
    session("a session's token without its cookie", { 'x-pinyon-session': own['x-pinyon-session'] }, false),
    session("a session's cookie without its token", { cookie: own.cookie }, false),
  ];
}
