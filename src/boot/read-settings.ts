// Reads the settings from environment variables, and says everything that is wrong with them at once.
import { CLIENT_VARIABLES } from '../cli/line/shared-options.ts';
import { keysOf } from '../domain/keys-of.ts';
import { nearestName } from '../domain/nearest-name.ts';
import { HTTP_PORT, HTTPS_PORT } from './index-hosts.ts';
import { AUTO, BadValue } from './setting-kinds.ts';
import { SETTINGS, type Setting, type SettingName, type Settings } from './settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Everything that is wrong with the settings, one sentence each. */
export class SettingsProblem extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** Reads the settings from environment variables. @throws SettingsProblem naming every wrong variable */
export function readSettings(environment: Environment): Settings {
  const problems: string[] = [];
  const values: Partial<Record<SettingName, unknown>> = {};
  for (const name of keysOf(SETTINGS)) {
    try {
      values[name] = readOne(SETTINGS[name], environment);
    } catch (error) {
      if (!(error instanceof BadValue)) throw error;
      problems.push(`${SETTINGS[name].env} ${error.message}.`);
    }
  }
  // Complete unless there are problems, which are thrown below.
  const settings = values as Settings;
  if (problems.length === 0) problems.push(...publicContradictions(settings, environment));
  const resolved = Object.freeze({ ...settings, ...publicPlace(settings.publicUrl) });
  if (problems.length === 0) problems.push(...contradictions(resolved));
  if (problems.length > 0) throw new SettingsProblem(problems);
  return resolved;
}

/** What a public address says that other settings would say one by one. */
function publicPlace(
  address: string | null | undefined,
): Partial<Pick<Settings, 'publicHost' | 'publicDomain' | 'publicPort'>> {
  if (address === null || address === undefined) return {};
  const { hostname, port, protocol } = new URL(address);
  const implied = protocol === 'https:' ? HTTPS_PORT : HTTP_PORT;
  return { publicHost: hostname, publicDomain: hostname, publicPort: Number(port) || implied };
}

function publicContradictions({ publicUrl }: Settings, environment: Environment): readonly string[] {
  if (publicUrl === null) return [];
  return ['PINYON_PUBLIC_HOST', 'PINYON_PUBLIC_DOMAIN', 'PINYON_PUBLIC_PORT']
    .filter((name) => environment[name]?.trim())
    .map((name) => `PINYON_PUBLIC_URL replaces ${name}: set only one of them.`);
}

function readOne(setting: Setting<unknown>, environment: Environment): unknown {
  // An empty variable counts as unset: compose files and charts pass an empty text for "not set".
  const given = environment[setting.env]?.trim() || setting.preset;
  return given === null ? null : setting.read(given);
}

function contradictions(settings: Settings): readonly string[] {
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

export interface UnknownSetting {
  readonly name: string;
  /** The setting that is most likely meant; null where none is close. */
  readonly nearest: string | null;
}

/** Variables that look like settings but are not: most likely misspelled. */
export function unknownSettings(environment: Environment): readonly UnknownSetting[] {
  const settings = Object.values(SETTINGS).map(({ env }) => env);
  const known = new Set<string>([...settings, ...CLIENT_VARIABLES]);
  return Object.keys(environment)
    .filter((env) => env.startsWith('PINYON_') && !known.has(env))
    .map((name) => ({ name, nearest: nearestName(name, settings) }));
}
