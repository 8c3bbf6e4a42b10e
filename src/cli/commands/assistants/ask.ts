// pinyon assistant ask: prints the answer to a question while it arrives, and then its sources.
import { type JsonObject, membersOf } from '../../../domain/json.ts';
import { readLines } from '../../../file-formats/jsonl/read-lines.ts';
import { ApiClient } from '../../client/api-client.ts';
import { CliProblem, EXIT_DONE, type Io, misuse, type ParsedWords } from '../../command.ts';
import { jsonOption } from '../../line/parse-words.ts';
import { readWhole } from '../records/read-rows.ts';
import { VERSION } from './manage.ts';

const EVENT_BYTES_MAX = 4 * 1024 * 1024;
const DATA = 'data:';
/** Ends the events of some servers with this interface. */
const END = '[DONE]';

export async function ask(words: ParsedWords, io: Io): Promise<number> {
  const [assistant = '', ...question] = words.positionals;
  const content = question.length > 0 ? question.join(' ') : (await readWhole('-', io)).trim();
  if (content === '') throw misuse('Ask something.');
  const client = await ApiClient.of(words, io);
  const model = words.text('model');
  const filter = jsonOption(words, 'filter');
  const body = {
    messages: [{ role: 'user', content }],
    ...(model === undefined ? {} : { model }),
    ...(filter === undefined ? {} : { filter }),
  };
  const path = `/assistant/chat/${encodeURIComponent(assistant)}`;
  if (words.flag('json')) {
    const json = await client.call('POST', path, { body: { ...body, stream: false }, version: VERSION });
    io.out(`${JSON.stringify(json)}\n`);
    return EXIT_DONE;
  }
  const sources = new Sources();
  const events = await client.stream('POST', path, { body: { ...body, stream: true }, version: VERSION });
  for await (const event of eventsOf(events)) {
    if (event.type === 'content_chunk') io.out(String(membersOf(event.delta).content ?? ''));
    else if (event.type === 'citation') io.out(sources.marks(membersOf(event.citation)));
    else if (event.type === 'error')
      throw new CliProblem(`${membersOf(event.error).message ?? event.message}`);
  }
  io.out(`\n${sources.list()}`);
  return EXIT_DONE;
}

async function* eventsOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<JsonObject> {
  for await (const { text } of readLines(bytes, 0, EVENT_BYTES_MAX)) {
    const data = text?.startsWith(DATA) ? text.slice(DATA.length).trim() : END;
    if (data !== END) yield membersOf(JSON.parse(data));
  }
}

/** The files of an answer, numbered as they come. */
class Sources {
  readonly #numbers = new Map<string, number>();

  /** ` [1]` for a citation of the first source. */
  marks({ references }: JsonObject): string {
    const list = Array.isArray(references) ? references : [];
    const numbers = list.map((each) => this.#numberOf(sourceOf(membersOf(each))));
    return [...new Set(numbers)].map((number) => ` [${number}]`).join('');
  }

  #numberOf(source: string): number {
    const number = this.#numbers.get(source) ?? this.#numbers.size + 1;
    this.#numbers.set(source, number);
    return number;
  }

  list(): string {
    const lines = [...this.#numbers].map(([source, number]) => `[${number}] ${source}\n`);
    return lines.length === 0 ? '' : `\n${lines.join('')}`;
  }
}

function sourceOf({ file, pages }: JsonObject): string {
  const { name } = membersOf(file);
  return Array.isArray(pages) && pages.length > 0 ? `${name}, p. ${pages.join(', ')}` : String(name);
}
