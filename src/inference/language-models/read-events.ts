// Parses server-sent events from a stream, in any chunking and with any line endings.
import { ProviderError } from '../provider-errors.ts';

/** A provider that sends more in one line or event is broken. */
const EVENT_CHARACTERS_MAX = 1_000_000;

/** Yields the data of each event. @throws ProviderError for an endless line or event; whatever `bytes` throws */
export async function* readEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let data: string[] = [];
  let characters = 0;
  for await (const line of linesOf(bytes)) {
    if (line === '') {
      if (data.length > 0) yield data.join('\n');
      data = [];
      characters = 0;
    } else if (line.startsWith('data:')) {
      characters += line.length;
      refuseEndless(characters);
      data.push(line.slice(line[5] === ' ' ? 6 : 5));
    }
  }
  // Some endpoints end their last event by closing the connection.
  if (data.length > 0) yield data.join('\n');
}

async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of bytes) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    refuseEndless(rest.length);
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
  }
  if (rest !== '') yield rest;
}

function refuseEndless(characters: number): void {
  if (characters > EVENT_CHARACTERS_MAX) throw new ProviderError('broken', 'its answer has no end');
}
