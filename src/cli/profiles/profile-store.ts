// Keeps profiles, addresses with their credentials, in a file that only its owner can read.
import { mkdir, readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { isJsonObject, membersOf } from '../../domain/json.ts';
import { nearestName } from '../../domain/nearest-name.ts';
import { CliProblem, type Io } from '../command.ts';
import { replaceWhole } from '../files/write-files.ts';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** Bits of the mode that let others than the owner in. */
const OTHERS = 0o077;

export interface Profile {
  readonly url: string;
  readonly apiKey?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** File with certificates to trust. */
  readonly ca?: string;
}

export interface Profiles {
  /** The one that commands use unless another is named. */
  readonly current: string | null;
  readonly byName: ReadonlyMap<string, Profile>;
}

/** The names of fields in the file. */
const FIELDS = {
  url: 'url',
  apiKey: 'api_key',
  clientId: 'client_id',
  clientSecret: 'client_secret',
  ca: 'ca',
} as const;

export function profilesPath({ XDG_CONFIG_HOME, HOME }: Io['environment']): string {
  // The specification of XDG ignores relative paths.
  const base = XDG_CONFIG_HOME?.startsWith('/') ? XDG_CONFIG_HOME : join(HOME || homedir(), '.config');
  return join(base, 'pinyon', 'profiles.json');
}

/** None without a file. @throws CliProblem if the file is not one of profiles */
export async function readProfiles({ environment, err }: Pick<Io, 'environment' | 'err'>): Promise<Profiles> {
  const path = profilesPath(environment);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (membersOf(error).code === 'ENOENT') return { current: null, byName: new Map() };
    throw error;
  }
  const { mode } = await stat(path);
  if ((mode & OTHERS) !== 0 && process.platform !== 'win32')
    err(`Other users of this machine may read ${path}; run: chmod 600 ${path}\n`);
  return parseProfiles(text, path);
}

function parseProfiles(text: string, path: string): Profiles {
  const wrong = new CliProblem(`${path} is not a file of profiles; correct it or remove it.`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw wrong;
  }
  const { current, profiles } = membersOf(json);
  if (!isJsonObject(profiles)) throw wrong;
  const byName = Object.entries(profiles).map(([name, fields]): [string, Profile] => {
    const { url, api_key: apiKey, client_id: clientId, client_secret: clientSecret, ca } = membersOf(fields);
    if (typeof url !== 'string') throw wrong;
    return [name, { url, ...texts({ apiKey, clientId, clientSecret, ca }) }];
  });
  return { current: typeof current === 'string' ? current : null, byName: new Map(byName) };
}

/** The fields that are texts. */
function texts(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(fields).filter((field): field is [string, string] => typeof field[1] === 'string'),
  );
}

/** Replaces the file as a whole, so that a failure leaves the former one. */
export async function writeProfiles(
  { environment }: Pick<Io, 'environment'>,
  { current, byName }: Profiles,
): Promise<void> {
  const path = profilesPath(environment);
  const profiles = Object.fromEntries(
    [...byName].map(([name, profile]) => [
      name,
      Object.fromEntries(
        Object.entries(FIELDS).map(([field, wire]) => [wire, profile[field as keyof Profile]]),
      ),
    ]),
  );
  await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
  await replaceWhole(path, `${JSON.stringify({ current, profiles }, null, 2)}\n`, FILE_MODE);
}

/** @throws CliProblem if there is none of that name */
export function profileNamed({ byName }: Profiles, name: string): Profile {
  const profile = byName.get(name);
  if (profile !== undefined) return profile;
  const names = [...byName.keys()];
  const nearest = nearestName(name, names);
  const hint = nearest !== null ? ` Is ${nearest} meant?` : ` 'pinyon profile add ${name}' creates it.`;
  throw new CliProblem(`There is no profile ${name}.${hint}`);
}
