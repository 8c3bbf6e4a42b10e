// Reads the settings from environment variables, and says everything that is wrong with them at once.
import { CLIENT_VARIABLES } from '../cli/line/shared-options.ts';
import { keysOf } from '../domain/keys-of.ts';
import { nearestName } from '../domain/nearest-name.ts';
import { contradictions, recoveryContradictions } from './contradictions.ts';
import { HTTP_PORT, HTTPS_PORT } from './index-hosts.ts';
import { BadValue } from './setting-kinds.ts';
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

/** Reads the settings of a command. @throws SettingsProblem naming every wrong variable */
export function readSettings(environment: Environment): Settings {
  return readAll(environment, contradictions);
}

/** As `readSettings`, for a server, which also ships its recovery log. @throws SettingsProblem */
export function readServerSettings(environment: Environment): Settings {
  return readAll(environment, (settings) => [
    ...contradictions(settings),
    ...recoveryContradictions(settings),
  ]);
}

function readAll(environment: Environment, contradictionsOf: typeof contradictions): Settings {
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
  if (problems.length === 0) problems.push(...contradictionsOf(resolved));
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
