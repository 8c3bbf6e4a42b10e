// pinyon ttl: sets when the records of an index expire.
import { NEWEST_API_VERSION } from '../../domain/api-version.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { ApiClient, Refusal } from '../client/api-client.ts';
import { everyPage } from '../client/every-page.ts';
import { type Io, misuse, type ParsedWords } from '../command.ts';
import { confirm } from '../terminal/confirm.ts';
import { Progress } from '../terminal/progress.ts';
import { counted } from '../terminal/watch.ts';
import { indexSetting } from './index-setting.ts';

const EVER = 'ever';
const STATUS_FORBIDDEN = 403;

export const timeToLiveSetting = indexSetting({
  segment: 'ttl',
  bodyOf: (words) => {
    const field = words.text('field');
    const seconds = words.text('seconds');
    const namespaces = words.text('namespaces');
    return {
      field,
      ...(seconds !== undefined && { seconds: secondsOf(seconds, '--seconds') }),
      ...(namespaces !== undefined && { namespaces: namespacesOf(namespaces) }),
    };
  },
  beforeSet: async (body, words, io) => {
    if (!words.flag('yes')) await confirmExpiry(String(body.field), words, io);
  },
  textOf,
  endText: 'The records of the index live for ever.',
});

/** Asks where the field holds moments in the past: numbers of another meaning are such moments, too. */
async function confirmExpiry(field: string, words: ParsedWords, io: Io): Promise<void> {
  const [name = ''] = words.positionals;
  const records = await expiringRecords(await (await ApiClient.of(words, io)).ofIndex(name), field, io);
  if (records === 0) return;
  const which = records === null ? 'All records' : counted(records, 'record');
  await confirm(
    words,
    io,
    `${which} of index ${name} with a moment in the past in ${field} will expire at once.`,
  );
}

/** How many records hold a moment in the past; null for a key that may not read records. @throws Refusal, CliProblem */
async function expiringRecords(index: ApiClient, field: string, io: Io): Promise<number | null> {
  const progress = new Progress(io, 'Counting');
  const filter = { [field]: { $lte: Math.floor(Date.now() / 1_000) } };
  let records = 0;
  let looked = 0;
  try {
    for await (const { name } of everyPage(index, '/namespaces?limit=100', 'namespaces')) {
      const path = `/records/namespaces/${encodeURIComponent(String(name))}/browse`;
      const body = { filter, limit: 1 };
      const page = await index.call('POST', path, { body, version: NEWEST_API_VERSION });
      records += Number(page.total);
      progress.count(++looked, 'namespace');
    }
  } catch (error) {
    if (error instanceof Refusal && error.status === STATUS_FORBIDDEN) return null;
    throw error;
  } finally {
    progress.end();
  }
  return records;
}

function secondsOf(text: string, where: string): number | null {
  if (text === EVER) return null;
  if (!/^[1-9]\d*$/.test(text))
    throw misuse(`${where} must be a whole number of seconds or '${EVER}', got '${text}'.`);
  return Number(text);
}

function namespacesOf(list: string): Readonly<Record<string, number | null>> {
  const pairs = list.split(',').map((pair) => {
    const at = pair.lastIndexOf('=');
    if (at <= 0) throw misuse(`--namespaces expects NAMESPACE=SECONDS, got '${pair}'.`);
    return [pair.slice(0, at), secondsOf(pair.slice(at + 1), '--namespaces')] as const;
  });
  return Object.fromEntries(pairs);
}

function textOf({ field, seconds, namespaces }: JsonObject): string {
  if (typeof field !== 'string') return 'The records of the index live for ever.';
  const lasting = (value: unknown) => (value === null ? 'for ever' : `for ${value} seconds`);
  const own = Object.entries(isJsonObject(namespaces) ? namespaces : {});
  return [
    `Records expire at the moment in the field ${field}. Without one they live ${lasting(seconds)}.`,
    ...own.map(([name, value]) => `  ${name}: ${lasting(value)}`),
  ].join('\n');
}
