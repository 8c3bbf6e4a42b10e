// Settings of signing in at an OpenID provider.
import { bearerKey, flag, path, text, wholeNumber } from '../setting-kinds.ts';
import { optional, type Setting, setting } from './setting.ts';
import { admission, groupRoles, issuer } from './sign-in-kinds.ts';

const SESSION_MINUTES_MAX = 720;

export const SIGN_IN_SETTINGS = {
  oidcIssuer: optional(
    'PINYON_OIDC_ISSUER',
    issuer,
    'OpenID provider at which people sign in to the console, by its issuer URL, below which `/.well-known/openid-configuration` is. See [sign-in.md](../sign-in.md).',
  ),
  oidcClientId: optional(
    'PINYON_OIDC_CLIENT_ID',
    bearerKey,
    'Client id of this server at the OpenID provider.',
  ),
  oidcClientSecret: optional(
    'PINYON_OIDC_CLIENT_SECRET',
    bearerKey,
    'Client secret. If neither this nor a file is set, PKCE alone protects the sign-in.',
  ),
  oidcClientSecretFile: optional(
    'PINYON_OIDC_CLIENT_SECRET_FILE',
    path,
    'File with the client secret, in place of `PINYON_OIDC_CLIENT_SECRET`.',
  ),
  oidcName: optional(
    'PINYON_OIDC_NAME',
    text,
    'Name of the OpenID provider on the sign-in screen. If unset, its host name.',
  ),
  oidcScopes: setting('PINYON_OIDC_SCOPES', text, {
    preset: 'openid email profile',
    about: 'Scopes that the sign-in requests; some providers want one for groups.',
  }),
  oidcGroupsClaim: setting('PINYON_OIDC_GROUPS_CLAIM', text, {
    preset: 'groups',
    about: 'Claim that lists the groups of a person, or a path to it like `realm_access.roles`.',
  }),
  oidcRoles: optional(
    'PINYON_OIDC_ROLES',
    groupRoles,
    'Roles by group: `admins=OrgOwner,search-team=ProjectEditor@books`. Projects by id or name; the group `*` is everybody who is admitted. Percent-encode commas and equals signs in names. Each sign-in gives and takes these roles, and leaves those that people gave.',
  ),
  oidcAdmit: setting('PINYON_OIDC_ADMIT', admission, {
    preset: 'invite',
    about:
      'Who becomes a member by the first sign-in: `invite` for an open invite to the verified e-mail address, `group` for a group with a role, `domain:example.org` for verified addresses of a domain.',
  }),
  oidcTrustEmail: setting('PINYON_OIDC_TRUST_EMAIL', flag, {
    preset: 'false',
    about:
      'Takes e-mail addresses as verified if the provider does not say whether they are. Only for providers whose administrators set the addresses.',
  }),
  oidcSessionMinutes: setting('PINYON_OIDC_SESSION_MINUTES', wholeNumber(5, SESSION_MINUTES_MAX, 'minutes'), {
    preset: '480',
    about:
      'Life of a session that the OpenID provider opened; then the provider is asked again, and lost groups count.',
  }),
  oidcSignOut: setting('PINYON_OIDC_SIGN_OUT', flag, {
    preset: 'true',
    about: 'Signing out also ends the session at the OpenID provider, where it supports that.',
  }),
} as const satisfies Record<string, Setting<unknown>>;
