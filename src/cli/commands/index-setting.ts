// Commands over a setting of an index with an endpoint of its own: set, describe, end.
import type { JsonObject } from '../../domain/json.ts';
import { ApiClient } from '../client/api-client.ts';
import { EXIT_DONE, type Io, type ParsedWords } from '../command.ts';
import { print } from '../terminal/print.ts';

type Run = (words: ParsedWords, io: Io) => Promise<number>;

interface IndexSetting {
  /** The setting is at `/indexes/{name}/{segment}`. */
  readonly segment: string;
  /** What `set` sends. @throws {CliProblem} on words that make no sense */
  readonly bodyOf: (words: ParsedWords) => JsonObject;
  /** Asks before `set`, where it would destroy something. @throws CliProblem, Interruption unless agreed to */
  readonly beforeSet?: (body: JsonObject, words: ParsedWords, io: Io) => Promise<void>;
  /** Tells people what the server answers to `set` and `describe`. */
  readonly textOf: (answer: JsonObject) => string;
  /** Tells people what holds once the setting has ended. */
  readonly endText: string;
}

/** The three commands over one setting; the first positional word names the index. */
export function indexSetting({ segment, bodyOf, beforeSet, textOf, endText }: IndexSetting): {
  readonly set: Run;
  readonly describe: Run;
  readonly end: Run;
} {
  const call = async (method: string, words: ParsedWords, io: Io, body?: JsonObject) => {
    const [index = ''] = words.positionals;
    const path = `/indexes/${encodeURIComponent(index)}/${segment}`;
    return (await ApiClient.of(words, io)).call(method, path, body === undefined ? {} : { body });
  };
  const tell = (words: ParsedWords, io: Io, json: JsonObject, text: string) => {
    print(words, io, { json, text });
    return EXIT_DONE;
  };
  return {
    set: async (words, io) => {
      const body = bodyOf(words);
      await beforeSet?.(body, words, io);
      const answer = await call('PUT', words, io, body);
      return tell(words, io, answer, textOf(answer));
    },
    describe: async (words, io) => {
      const answer = await call('GET', words, io);
      return tell(words, io, answer, textOf(answer));
    },
    end: async (words, io) => tell(words, io, await call('DELETE', words, io), endText),
  };
}
