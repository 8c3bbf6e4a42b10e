// pinyon profile: adds, lists, chooses and removes profiles.
import { resolve } from 'node:path';
import { certificatesOf, sameAddress } from '../client/connection.ts';
import { CliProblem, EXIT_DONE, EXIT_MISUSED, type Io, misuse, type ParsedWords } from '../command.ts';
import {
  type Profile,
  profileNamed,
  profilesPath,
  readProfiles,
  writeProfiles,
} from '../profiles/profile-store.ts';
import { ask } from '../terminal/ask.ts';
import { print, printRows } from '../terminal/print.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const COLUMNS = { current: 'CURRENT', name: 'NAME', url: 'URL', has: 'CREDENTIALS' };

export async function addProfile(words: ParsedWords, io: Io): Promise<number> {
  const [name = ''] = words.positionals;
  if (!NAME.test(name))
    throw new CliProblem(
      'NAME must be letters, digits, dots, dashes and underscores, at most 64.',
      EXIT_MISUSED,
    );
  const url = words.text('url') ?? '';
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new CliProblem(`${url} is not a URL: expected http:// or https:// at its start.`, EXIT_MISUSED);
  const ca = words.text('ca');
  if (ca !== undefined) await certificatesOf(ca);
  const profiles = await readProfiles(io);
  const former = profiles.byName.get(name);
  // Credentials are for one address only.
  const kept = former !== undefined && sameAddress(former.url, url) ? former : null;
  const profile: Profile = {
    ...kept,
    url,
    ...(await credentialsOf(words, io, kept)),
    ...(ca !== undefined && { ca: resolve(ca) }),
  };
  const byName = new Map([...profiles.byName, [name, profile]]);
  const current = profiles.current ?? name;
  await writeProfiles(io, { current, byName });
  const path = profilesPath(io.environment);
  const text = [
    `Profile ${name} is in ${path}.`,
    `It has ${credentialsIn(profile).join(' and ') || 'no credentials'}.`,
    ...(former !== undefined && kept === null ? [`What it had for ${former.url} is removed.`] : []),
    current === name ? 'Commands use it from now on.' : `'pinyon profile use ${name}' makes commands use it.`,
  ];
  print(words, io, { json: { name, url, current: current === name, path }, text: text.join(' ') });
  return EXIT_DONE;
}

/** Those that are given. @throws CliProblem for half of a service account */
async function credentialsOf(words: ParsedWords, io: Io, kept: Profile | null): Promise<Partial<Profile>> {
  for (const option of ['api-key', 'client-id', 'client-secret'])
    if (words.text(option) === '') throw misuse(`--${option} is empty.`);
  const [apiKey, clientId] = [words.text('api-key'), words.text('client-id')];
  if (clientId !== undefined) {
    const clientSecret = words.text('client-secret') ?? (await secretOf('Client secret (not shown): ', io));
    if (clientSecret === '') throw misuse(`The secret of service account ${clientId} is missing.`);
    return { clientId, clientSecret, ...(apiKey !== undefined && { apiKey }) };
  }
  if (words.text('client-secret') !== undefined) throw misuse('--client-secret needs --client-id.');
  const none = kept?.apiKey === undefined ? 'for none' : 'to keep the present one';
  const given = apiKey ?? (await secretOf(`API key (not shown; empty ${none}): `, io));
  return given === '' ? {} : { apiKey: given };
}

/** What is piped, or typed without being shown: an option would stay in the history of the shell. Empty for nothing. */
async function secretOf(question: string, io: Io): Promise<string> {
  if (io.input === null) return (await ask({ text: question, isSecret: true }, io)).trim();
  return Buffer.concat(await Array.fromAsync(io.input))
    .toString('utf8')
    .trim();
}

function credentialsIn({ apiKey, clientId }: Profile): readonly string[] {
  return [
    ...(apiKey === undefined ? [] : ['an API key']),
    ...(clientId === undefined ? [] : ['a service account']),
  ];
}

export async function listProfiles(words: ParsedWords, io: Io): Promise<number> {
  const { current, byName } = await readProfiles(io);
  const json = [...byName].map(([name, profile]) => ({
    name,
    url: profile.url,
    current: name === current,
    has: credentialsIn(profile)
      .map((each) => each.replace(/^an? /, ''))
      .join(', '),
  }));
  const rows = json.map((each) => ({ ...each, current: each.current ? '*' : ' ' }));
  printRows(words, io, { json, rows, columns: COLUMNS });
  return EXIT_DONE;
}

export async function useProfile(words: ParsedWords, io: Io): Promise<number> {
  const [name = ''] = words.positionals;
  const profiles = await readProfiles(io);
  const { url } = profileNamed(profiles, name);
  await writeProfiles(io, { ...profiles, current: name });
  print(words, io, { json: { name, url }, text: `Commands use profile ${name}, ${url}.` });
  return EXIT_DONE;
}

export async function removeProfile(words: ParsedWords, io: Io): Promise<number> {
  const [name = ''] = words.positionals;
  const { current, byName } = await readProfiles(io);
  profileNamed({ current, byName }, name);
  const left = new Map([...byName].filter(([each]) => each !== name));
  await writeProfiles(io, { current: current === name ? null : current, byName: left });
  print(words, io, { json: { name, removed: true }, text: `Profile ${name} is removed.` });
  return EXIT_DONE;
}
