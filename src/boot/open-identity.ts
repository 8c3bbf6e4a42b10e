// Opens identity from the catalog: first access, principals, tokens, signed links and the log of access denials.

import { bootstrapAccess, type FirstAccess } from '../app/access/bootstrap-access.ts';
import { ConsoleSessions } from '../app/access/console-sessions.ts';
import { DenialLog } from '../app/access/denial-log.ts';
import { inviteMail } from '../app/access/invite-mail.ts';
import { InviteService } from '../app/access/invite-service.ts';
import { readKeptSessions, SessionKeeper } from '../app/access/kept-sessions.ts';
import { PeopleService } from '../app/access/people.ts';
import { Principals } from '../app/access/principals.ts';
import type { ProviderSignInService } from '../app/access/provider/provider-sign-in-service.ts';
import { SharedSessions } from '../app/access/shared-sessions.ts';
import { OneTimeCodes } from '../app/access/sign-in-codes.ts';
import { secretsFor, signingKeys } from '../app/access/signing-secrets.ts';
import { createTokenSigner } from '../app/access/token-signer.ts';
import { Tokens } from '../app/access/tokens.ts';
import { rememberVerified } from '../app/access/verified-tokens.ts';
import { WrongCredentials } from '../app/access/wrong-credentials.ts';
import type { Catalog } from '../catalog/port.ts';
import { PageCursors } from '../domain/administration/page-cursors.ts';
import type { Logger } from '../http/request-log.ts';
import { openProvider, type ProviderSettings } from './open-provider.ts';
import type { Settings } from './settings.ts';

export interface OpenIdentity {
  readonly firstAccess: FirstAccess;
  readonly principals: Principals;
  readonly tokens: Tokens;
  readonly wrongCredentials: WrongCredentials;
  readonly cursors: PageCursors;
  readonly invites: InviteService;
  readonly people: PeopleService;
  readonly denials: DenialLog;
  readonly sessions: ConsoleSessions;
  /** Keeps the sessions over a restart; close it before the catalog. */
  readonly sessionKeeper: Pick<SessionKeeper, 'close'>;
  /** Keeps them where several nodes share them. */
  readonly sharedSessions: SharedSessions;
  readonly codes: OneTimeCodes;
  /** Null where no OpenID provider is set. */
  readonly provider: ProviderSignInService | null;
  /** Signs links to files. */
  readonly linkSecret: Uint8Array;
}

export interface OpenIdentityParts {
  readonly catalog: Pick<Catalog, 'administration' | 'settings' | 'consoleSessions' | 'changes'>;
  readonly settings: Pick<
    Settings,
    'apiKey' | 'adminClientId' | 'adminClientSecret' | 'smtpUrl' | 'smtpFrom' | 'wrongCredentialsMax'
  > &
    ProviderSettings;
  readonly logger: Logger;
  readonly baseUrl: () => string;
}

export async function openIdentity(parts: OpenIdentityParts): Promise<OpenIdentity> {
  const { catalog, settings, logger, baseUrl } = parts;
  const { administration } = catalog;
  const isAlone = catalog.changes === null;
  const firstAccess = await bootstrapAccess(catalog, settings);
  const keys = await signingKeys(administration.signingKeys);
  const principals = await Principals.follow(administration.access);
  const wrongCredentials = new WrongCredentials({ burst: settings.wrongCredentialsMax });
  const signer = rememberVerified(createTokenSigner(secretsFor('token', keys)));
  const tokens = new Tokens(principals, signer, { wrongCredentials, keys: administration.apiKeys });
  const [cursorSecret] = secretsFor('cursor', keys);
  const [linkSecret] = secretsFor('file link', keys);
  if (cursorSecret === undefined || linkSecret === undefined) throw new Error('The signing key is missing.');
  const onUnkept = (error: unknown) =>
    logger.error({ err: error }, 'sessions of the console could not be kept');
  const sessions: ConsoleSessions = new ConsoleSessions(principals, {
    kept: isAlone ? await readKeptSessions(catalog.settings) : [],
    onChange: () => sessionKeeper.changed(),
    saved: () => sessionKeeper.saved(),
  });
  const sharedSessions = new SharedSessions({
    store: catalog.consoleSessions,
    sessions: () => sessions,
    onFailure: onUnkept,
  });
  const sessionKeeper = isAlone
    ? new SessionKeeper({ settings: catalog.settings, list: () => sessions.list(), onFailure: onUnkept })
    : sharedSessions;
  const provider = openProvider({
    ...{ settings, logger, baseUrl },
    identities: administration.identities,
    secrets: secretsFor('sign-in', keys),
    organizationId: firstAccess.organizationId,
    projects: () => principals.projectsOf(firstAccess.organizationId),
    sessionsOf: (person, organizationId) => sessions.of(person, organizationId, undefined),
  });
  return {
    firstAccess,
    principals,
    tokens,
    wrongCredentials,
    cursors: new PageCursors(cursorSecret.bytes),
    linkSecret: linkSecret.bytes,
    invites: new InviteService({
      invites: administration.invites,
      tokens,
      secrets: secretsFor('invite link', keys),
      baseUrl,
      mail: inviteMail(settings),
      onFailure: (error) => logger.error({ err: error }, 'mailing an invite failed'),
    }),
    sessions,
    sessionKeeper,
    sharedSessions,
    codes: new OneTimeCodes(),
    provider,
    people: new PeopleService({
      passwords: administration.passwords,
      tokens,
      isProviderOpen: provider !== null,
    }),
    denials: new DenialLog({
      record: (denials, deniedMax) => administration.audit.recordDenials(denials, deniedMax),
      onFailure: (error) =>
        logger.error({ err: error }, 'access denials could not be written to the audit log'),
    }),
  };
}
