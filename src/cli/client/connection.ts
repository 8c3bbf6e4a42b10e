// Where a command's server is, and with which credentials: from options, the environment and profiles.
import { readFile } from 'node:fs/promises';
import { createSecureContext, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { CliProblem, EXIT_MISUSED, type Io, type ParsedWords } from '../command.ts';
import { type Profile, profileNamed, readProfiles } from '../profiles/profile-store.ts';

const DEFAULT_URL = 'http://localhost:5080';

export interface Connection {
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
}

/**
 * Options come first, then the profile of `--profile`, then the environment, then the current profile.
 * Credentials of a profile go to its own address only.
 * @throws CliProblem
 */
export async function connectionOf(words: ParsedWords, io: Io): Promise<Connection> {
  const { environment } = io;
  const { profile, isExplicit } = await chosenProfile(words, io);
  const pick = (option: string, variable: string, stored: string | undefined): string | undefined => {
    const fromEnvironment = environment[variable] || undefined;
    const ranked = isExplicit ? [stored, fromEnvironment] : [fromEnvironment, stored];
    return words.text(option) ?? ranked.find((each) => each !== undefined);
  };
  const url = pick('url', 'PINYON_URL', profile?.url) ?? DEFAULT_URL;
  const own = profile !== null && sameAddress(profile.url, url) ? profile : null;
  await trust(pick('ca', 'PINYON_CA', own?.ca));
  return {
    url,
    apiKey: pick('api-key', 'PINYON_API_KEY', own?.apiKey),
    clientId: pick('client-id', 'PINYON_CLIENT_ID', own?.clientId),
    clientSecret: pick('client-secret', 'PINYON_CLIENT_SECRET', own?.clientSecret),
  };
}

async function chosenProfile(
  words: ParsedWords,
  io: Io,
): Promise<{ readonly profile: Profile | null; readonly isExplicit: boolean }> {
  const explicit = words.text('profile');
  const profiles = await readProfiles(io);
  const name = explicit ?? (io.environment.PINYON_PROFILE || profiles.current);
  const profile = name === null ? null : profileNamed(profiles, name);
  return { profile, isExplicit: explicit !== undefined };
}

export function sameAddress(one: string, other: string): boolean {
  return one.replace(/\/+$/, '') === other.replace(/\/+$/, '');
}

/** Trusts the certificates of a PEM file beside the known ones. @throws CliProblem */
async function trust(path: string | undefined): Promise<void> {
  if (path === undefined) return;
  setDefaultCACertificates([...getCACertificates('default'), ...(await certificatesOf(path))]);
}

/** Those of a PEM file. @throws CliProblem where it has none, or wrong ones; Error of the file system */
export async function certificatesOf(path: string): Promise<readonly string[]> {
  const pem = await readFile(path, 'utf8');
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const wrong = `${path} is not a file of certificates: expected PEM.`;
  if (certificates.length === 0) throw new CliProblem(wrong, EXIT_MISUSED);
  try {
    createSecureContext({ ca: certificates });
  } catch (error) {
    throw new CliProblem(wrong, EXIT_MISUSED, error);
  }
  return certificates;
}
