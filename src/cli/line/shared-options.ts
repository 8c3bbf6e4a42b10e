// The options that commands share, by whom they talk to.
import type { OptionTable, Partner } from '../command.ts';

const ADDRESS: OptionTable = {
  url: {
    value: 'URL',
    about: 'Base address of the server (PINYON_URL; default that of the profile, else http://localhost:5080)',
  },
  profile: { value: 'PROFILE', about: 'Profile with address and credentials (PINYON_PROFILE)' },
  ca: { value: 'FILE', about: 'Certificates to trust beside the known ones, as PEM (PINYON_CA)' },
};

const KEY: OptionTable = {
  'api-key': { value: 'KEY', about: 'API key of the project (PINYON_API_KEY)' },
};

const OWNER: OptionTable = {
  'client-id': { value: 'ID', about: 'Client id of a service account (PINYON_CLIENT_ID)' },
  'client-secret': { value: 'SECRET', about: 'Its secret (PINYON_CLIENT_SECRET)' },
};

const EVERYWHERE: OptionTable = {
  json: { about: 'Print the result as one line of JSON' },
  help: { about: 'Show this text', short: 'h' },
};

const BY_PARTNER: Readonly<Record<Partner, OptionTable>> = {
  server: { ...ADDRESS, ...KEY, ...EVERYWHERE },
  administration: { ...ADDRESS, ...OWNER, ...EVERYWHERE },
  anyone: { ...ADDRESS, ...EVERYWHERE },
  files: EVERYWHERE,
};

/** Variables that only client commands read; a shell set up for them may start the server too. */
export const CLIENT_VARIABLES: readonly string[] = [
  'PINYON_URL',
  'PINYON_PROFILE',
  'PINYON_CA',
  'PINYON_CLIENT_ID',
  'PINYON_CLIENT_SECRET',
  'PINYON_FROM_API_KEY',
];

export function sharedOptions(partner: Partner): OptionTable {
  return BY_PARTNER[partner];
}

/** Those of all commands, which may also stand before the command. */
export const ALL_SHARED: OptionTable = { ...ADDRESS, ...KEY, ...OWNER, ...EVERYWHERE };
