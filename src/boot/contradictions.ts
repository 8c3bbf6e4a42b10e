// Settings that do not go together.
import { relative, resolve } from 'node:path';
import { AUTO } from './setting-kinds.ts';
import { LANGUAGE_MODEL } from './settings/models.ts';
import type { Settings } from './settings.ts';

/** What settings say that do not go together, one sentence each. */
export function contradictions(settings: Settings): readonly string[] {
  const { port: base, indexPorts, publicDomain, publicPort, tlsCert, tlsKey } = settings;
  const { adminClientId, adminClientSecret, smtpUrl, smtpFrom } = settings;
  const problems: string[] = [];
  if ((tlsCert === null) !== (tlsKey === null)) {
    problems.push('PINYON_TLS_CERT and PINYON_TLS_KEY must be set together.');
  }
  if ((adminClientId === null) !== (adminClientSecret === null)) {
    problems.push('PINYON_ADMIN_CLIENT_ID and PINYON_ADMIN_CLIENT_SECRET must be set together.');
  }
  if ((smtpUrl === null) !== (smtpFrom === null)) {
    problems.push('PINYON_SMTP_URL and PINYON_SMTP_FROM must be set together.');
  }
  if ((settings.s3AccessKeyId === null) !== (settings.s3SecretAccessKey === null)) {
    problems.push('PINYON_S3_ACCESS_KEY_ID and PINYON_S3_SECRET_ACCESS_KEY must be set together.');
  }
  if (settings.chatUrl === AUTO && settings.chatKey !== null) {
    problems.push(
      'PINYON_CHAT_KEY requires an address in PINYON_CHAT_URL: it is not sent to servers that are found.',
    );
  }
  if (settings.chatUrl === null && (settings.chatKey !== null || settings.chatModels !== null)) {
    problems.push('PINYON_CHAT_KEY and PINYON_CHAT_MODELS require PINYON_CHAT_URL.');
  }
  if (settings.chatUrl === null && settings.evaluationModel === LANGUAGE_MODEL) {
    problems.push('PINYON_EVALUATION_MODEL=language-model requires PINYON_CHAT_URL.');
  }
  problems.push(...providerContradictions(settings));
  if (settings.engine === 'postgres' && settings.databaseUrl === null) {
    problems.push('PINYON_ENGINE=postgres requires PINYON_DATABASE_URL.');
  }
  if (settings.engine !== 'postgres' && settings.engineUrl !== null) {
    problems.push('PINYON_ENGINE_URL requires PINYON_ENGINE=postgres.');
  }
  if (settings.engine !== 'postgres' && settings.engineShards !== 'none') {
    problems.push('PINYON_ENGINE_SHARDS requires PINYON_ENGINE=postgres.');
  }
  problems.push(...nodeContradictions(settings));
  if (publicDomain === null && base >= indexPorts.first && base <= indexPorts.last) {
    problems.push(`PINYON_PORT ${base} must be outside PINYON_INDEX_PORTS.`);
  }
  if (publicDomain !== null && publicPort === null && base === 0) {
    problems.push('PINYON_PORT 0 with PINYON_PUBLIC_DOMAIN requires PINYON_PUBLIC_PORT for `host` fields.');
  }
  return problems;
}

function nodeContradictions(settings: Settings): readonly string[] {
  const { nodeAddress, nodeSecret, databaseUrl, engine, publicDomain } = settings;
  if ((nodeAddress === null) !== (nodeSecret === null))
    return ['PINYON_NODE_ADDRESS and PINYON_NODE_SECRET must be set together.'];
  const isFitting = databaseUrl !== null && publicDomain !== null && engine === 'embedded';
  if (nodeAddress === null || isFitting) return [];
  return [
    'PINYON_NODE_ADDRESS requires PINYON_DATABASE_URL and PINYON_PUBLIC_DOMAIN, and PINYON_ENGINE=embedded.',
  ];
}

function providerContradictions(settings: Settings): readonly string[] {
  const { oidcIssuer, oidcClientId, oidcClientSecret, oidcClientSecretFile, oidcScopes } = settings;
  const problems: string[] = [];
  if ((oidcIssuer === null) !== (oidcClientId === null)) {
    problems.push('PINYON_OIDC_ISSUER and PINYON_OIDC_CLIENT_ID must be set together.');
  }
  if (oidcClientSecret !== null && oidcClientSecretFile !== null) {
    problems.push('PINYON_OIDC_CLIENT_SECRET_FILE replaces PINYON_OIDC_CLIENT_SECRET: set only one of them.');
  }
  if (!oidcScopes.split(' ').includes('openid')) {
    problems.push('PINYON_OIDC_SCOPES must include openid.');
  }
  return problems;
}

/** As `contradictions`, for servers alone: commands that move the data elsewhere ship nothing. */
export function recoveryContradictions(settings: Settings): readonly string[] {
  const { recovery, blobs, historyHours, engine, databaseUrl } = settings;
  if (!recovery) return [];
  if (engine === 'postgres' || databaseUrl !== null)
    return [
      'PINYON_RECOVERY ships what is in the data directory. For data on PostgreSQL, use the point-in-time recovery of the database instead, and unset PINYON_RECOVERY.',
    ];
  const problems: string[] = [];
  if (blobs === null || isInside(settings))
    problems.push(
      'PINYON_RECOVERY needs PINYON_BLOBS: a bucket, or a folder elsewhere than the data directory, with which it would be lost.',
    );
  if (historyHours === 0)
    problems.push(
      'PINYON_RECOVERY ships from the histories of indexes: set PINYON_HISTORY_HOURS to 1 or more.',
    );
  return problems;
}

function isInside({ blobs, dataDir }: Pick<Settings, 'blobs' | 'dataDir'>): boolean {
  if (blobs?.kind !== 'folder') return false;
  const way = relative(resolve(dataDir), resolve(blobs.path));
  return way === '' || !way.startsWith('..');
}
