// pinyon profile: adds, lists, chooses and removes profiles.
import { CliProblem, EXIT_DONE, EXIT_MISUSED, type Io, type ParsedWords } from '../command.ts';
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
  const apiKey = words.text('api-key') ?? (await secretOf(words, io));
  const fields = {
    apiKey,
    clientId: words.text('client-id'),
    clientSecret: words.text('client-secret'),
    ca: words.text('ca'),
  };
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== '');
  const profile: Profile = { url, ...Object.fromEntries(given) };
  const profiles = await readProfiles(io);
  const byName = new Map([...profiles.byName, [name, profile]]);
  const current = profiles.current ?? name;
  await writeProfiles(io, { current, byName });
  const path = profilesPath(io.environment);
  const use =
    current === name ? 'Commands use it from now on.' : `'pinyon profile use ${name}' makes commands use it.`;
  print(words, io, {
    json: { name, url, current: current === name, path },
    text: `Profile ${name} is in ${path}. ${use}`,
  });
  return EXIT_DONE;
}

/** The key from a pipe, or typed without being shown: an option would stay in the history of the shell. */
async function secretOf(words: ParsedWords, io: Io): Promise<string | undefined> {
  if (words.text('client-id') !== undefined) return undefined;
  if (io.input !== null)
    return (
      Buffer.concat(await Array.fromAsync(io.input))
        .toString('utf8')
        .trim() || undefined
    );
  const key = await ask({ text: 'API key (not shown; empty for none): ', isSecret: true }, io);
  return key.trim() || undefined;
}

export async function listProfiles(words: ParsedWords, io: Io): Promise<number> {
  const { current, byName } = await readProfiles(io);
  const json = [...byName].map(([name, { url, apiKey, clientId }]) => ({
    name,
    url,
    current: name === current,
    has: [
      ...(apiKey === undefined ? [] : ['API key']),
      ...(clientId === undefined ? [] : ['service account']),
    ].join(', '),
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
