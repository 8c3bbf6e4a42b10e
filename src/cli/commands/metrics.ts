// pinyon metrics: prints the metrics of a server, or those whose names contain a word.
import { ApiClient } from '../client/api-client.ts';
import { EXIT_DONE, type Io, type ParsedWords } from '../command.ts';

const LINE = /^([a-zA-Z_:][\w:]*)(\{.*\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

export async function metrics(words: ParsedWords, io: Io): Promise<number> {
  const client = await ApiClient.of(words, io);
  const text = Buffer.concat(await Array.fromAsync(await client.download('/metrics'))).toString('utf8');
  const [part = ''] = words.positionals;
  const lines = text.split('\n').filter((line) => line !== '' && nameOf(line).includes(part));
  if (words.flag('json')) io.out(`${JSON.stringify(lines.flatMap(sampleOf))}\n`);
  else io.out(lines.map((line) => `${line}\n`).join(''));
  return EXIT_DONE;
}

/** The name of a metric in a line, also in a comment on it. */
function nameOf(line: string): string {
  return line.replace(/^# (?:HELP|TYPE) /, '').split(/[ {]/)[0] ?? '';
}

function sampleOf(line: string): readonly object[] {
  const [, name, labels = '', value] = LINE.exec(line) ?? [];
  if (name === undefined) return [];
  const pairs = [...labels.matchAll(LABEL)].map(([, key = '', text = '']) => [
    key,
    text.replaceAll(/\\(.)/g, '$1'),
  ]);
  return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
}
