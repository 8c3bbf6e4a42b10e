// Parses server-sent events from a stream, in any chunking and with any line endings.
import { ProviderError } from '../provider-errors.ts';

/** A provider that sends more in one line or event is broken. */
const EVENT_CHARACTERS_MAX = 1_000_000;

/**
 * Yields the data of each event, but not of those with blank data, which keep a connection open.
 * @throws ProviderError for an endless line or event; whatever `bytes` throws
 */
export async function* readEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let data: string[] = [];
  let characters = 0;
  for await (const line of linesOf(bytes)) {
    if (line === '') {
      yield* shown(data);
      data = [];
      characters = 0;
    } else if (line.startsWith('data:')) {
      characters += line.length;
      refuseEndless(characters);
      data.push(line.slice(line[5] === ' ' ? 6 : 5));
    }
  }
  // Some endpoints end their last event by closing the connection.
  yield* shown(data);
}

function* shown(data: readonly string[]): Generator<string> {
  const text = data.join('\n');
  if (text.trim() !== '') yield text;
}

const LINE_END = /\r\n|\r|\n/;

/** Yields each line as soon as it has ended: a line feed that follows belongs to its carriage return. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let hasReturned = false;
  for await (const piece of bytes) {
    const read = decoder.decode(piece, { stream: true });
    if (read === '') continue;
    const [first = '', ...others] = (hasReturned && read.startsWith('\n') ? read.slice(1) : read).split(
      LINE_END,
    );
    hasReturned = read.endsWith('\r');
    const lines = [rest + first, ...others];
    rest = lines.pop() ?? '';
    refuseEndless(rest.length);
    yield* lines;
  }
  if (rest !== '') yield rest;
}

function refuseEndless(characters: number): void {
  if (characters > EVENT_CHARACTERS_MAX) throw new ProviderError('broken', 'its answer has no end');
}
