// pinyon quota: what projects and keys may use.
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { ApiClient } from '../client/api-client.ts';
import { EXIT_DONE, type Io, misuse, type ParsedWords } from '../command.ts';
import { printRows } from '../terminal/print.ts';
import { projectOf } from './administration.ts';

const COLUMNS = { quota: 'QUOTA', own: 'SET', effective: 'HOLDS', usage: 'USED' };
const RATES = ['requests-per-second', 'write-megabytes-per-second'];
const BOUNDS = [...RATES, 'records', 'storage-megabytes', 'indexes', 'files'];
/** As the value of an option: back to what the settings of the server say. */
const UNSET = 'none';

export async function showQuota(words: ParsedWords, io: Io): Promise<number> {
  const owner = await ApiClient.ofOwner(words, io);
  printQuota(words, io, await owner.call('GET', await pathOf(owner, words)));
  return EXIT_DONE;
}

export async function setQuota(words: ParsedWords, io: Io): Promise<number> {
  const given = BOUNDS.flatMap((name) => {
    const text = words.text(name);
    return text === undefined ? [] : [[wireName(name), boundOf(name, text)] as const];
  });
  if (given.length === 0) throw misuse(`Pass one of --${BOUNDS.join(', --')}.`);
  const owner = await ApiClient.ofOwner(words, io);
  const path = await pathOf(owner, words);
  const { quota } = await owner.call('GET', path);
  const body = { ...(isJsonObject(quota) ? quota : {}), ...Object.fromEntries(given) };
  printQuota(words, io, await owner.call('PUT', path, { body }));
  return EXIT_DONE;
}

async function pathOf(owner: ApiClient, words: ParsedWords): Promise<string> {
  const key = words.text('key');
  if (key !== undefined) return `/admin/api-keys/${encodeURIComponent(key)}/quota`;
  return `/admin/projects/${(await projectOf(owner, words.text('project'))).id}/quota`;
}

/** @throws CliProblem */
function boundOf(name: string, text: string): number | null {
  if (text === UNSET) return null;
  if (!/^\d{1,9}$/.test(text)) throw misuse(`--${name} must be a whole number or ${UNSET}, got '${text}'.`);
  return Number(text);
}

function printQuota(words: ParsedWords, io: Io, json: JsonObject): void {
  const { quota, effective, usage } = json;
  const cell = (of: unknown, name: string) => (isJsonObject(of) ? (of[name] ?? '-') : '-');
  const rows = Object.keys(isJsonObject(quota) ? quota : {}).map((name) => ({
    quota: name,
    own: cell(quota, name),
    effective: cell(effective, name),
    usage: cell(usage, name),
  }));
  printRows(words, io, { json, rows, columns: COLUMNS });
}

function wireName(option: string): string {
  return option.replaceAll('-', '_');
}
