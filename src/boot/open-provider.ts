// Opens signing in at the OpenID provider of the settings. Nothing is asked of the provider before somebody signs in.
import { readFileSync } from 'node:fs';
import { OpenIdProvider } from '../app/access/provider/openid-provider.ts';
import {
  type ProviderSignInParts,
  ProviderSignInService,
} from '../app/access/provider/provider-sign-in-service.ts';
import type { SigningSecret } from '../app/access/signing-secrets.ts';
import type { IdentityStore, Project } from '../catalog/port.ts';
import { membersOf } from '../domain/json.ts';
import type { Logger } from '../http/request-log.ts';
import { SettingsProblem } from './read-settings.ts';
import type { Settings } from './settings.ts';

const MINUTE_SECONDS = 60;

export type ProviderSettings = Pick<
  Settings,
  | 'oidcIssuer'
  | 'oidcClientId'
  | 'oidcClientSecret'
  | 'oidcClientSecretFile'
  | 'oidcName'
  | 'oidcScopes'
  | 'oidcGroupsClaim'
  | 'oidcRoles'
  | 'oidcAdmit'
  | 'oidcTrustEmail'
  | 'oidcSessionMinutes'
  | 'oidcSignOut'
>;

export interface OpenProviderParts {
  readonly settings: ProviderSettings;
  readonly identities: IdentityStore;
  readonly secrets: readonly SigningSecret[];
  readonly organizationId: string;
  readonly projects: () => readonly Pick<Project, 'id' | 'name'>[];
  readonly sessionsOf: ProviderSignInParts['sessionsOf'];
  readonly baseUrl: () => string;
  readonly logger: Logger;
}

/** Null where none is set. @throws SettingsProblem for a file that cannot be read */
export function openProvider(parts: OpenProviderParts): ProviderSignInService | null {
  const { settings, baseUrl, logger } = parts;
  const { oidcIssuer: issuer, oidcClientId: clientId } = settings;
  if (issuer === null || clientId === null) return null;
  const shared = {
    baseUrl,
    groupsClaim: settings.oidcGroupsClaim,
    trustsEmail: settings.oidcTrustEmail,
    now: Date.now,
  };
  const provider = new OpenIdProvider({
    ...shared,
    issuer,
    clientId,
    clientSecret: clientSecretOf(settings),
    scopes: settings.oidcScopes,
    name: settings.oidcName ?? new URL(issuer).host,
  });
  return new ProviderSignInService({
    ...shared,
    provider,
    identities: parts.identities,
    secrets: parts.secrets,
    organizationId: parts.organizationId,
    projects: parts.projects,
    sessionsOf: parts.sessionsOf,
    roles: settings.oidcRoles ?? [],
    admission: settings.oidcAdmit,
    sessionSeconds: settings.oidcSessionMinutes * MINUTE_SECONDS,
    signsOutThere: settings.oidcSignOut,
    onUnknownProject: (project) =>
      logger.warn({ project }, 'PINYON_OIDC_ROLES names a project that does not exist'),
  });
}

/** Checked at the start, which shows a wrong path at once. */
export function clientSecretOf({
  oidcClientSecret,
  oidcClientSecretFile: path,
}: Pick<Settings, 'oidcClientSecret' | 'oidcClientSecretFile'>): string | null {
  if (path === null) return oidcClientSecret;
  const name = 'PINYON_OIDC_CLIENT_SECRET_FILE';
  let secret: string;
  try {
    secret = readFileSync(path, 'utf8').trim();
  } catch (error) {
    const reason = String(membersOf(error).code ?? 'unreadable');
    throw new SettingsProblem([`${name} names a file that cannot be read (${reason}): ${path}`]);
  }
  if (secret === '') throw new SettingsProblem([`${name} names a file that is empty: ${path}`]);
  return secret;
}
