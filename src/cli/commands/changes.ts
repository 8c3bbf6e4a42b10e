// pinyon changes: what is committed in an index, in order, as JSON lines.
import { isJsonObject } from '../../domain/json.ts';
import { ApiClient } from '../client/api-client.ts';
import { EXIT_DONE, type Io, type ParsedWords } from '../command.ts';

const WAIT_MS = 10_000;

/**
 * Prints a line for each change, with the cursor after it. Unless it follows, ends where nothing is left, with the
 * cursor to go on with: there may have been no change.
 */
export async function printChanges(words: ParsedWords, io: Io): Promise<number> {
  const client = await ApiClient.of(words, io);
  const [index = ''] = words.positionals;
  const isFollowing = words.flag('follow');
  const query = new URLSearchParams(isFollowing ? { wait_ms: String(WAIT_MS) } : {});
  const namespace = words.text('namespace');
  if (namespace !== undefined) query.set('namespace', namespace);
  const after = words.text('after');
  if (after !== undefined) query.set('after', after);
  for (;;) {
    const page = await client.call('GET', `/indexes/${encodeURIComponent(index)}/changes?${query}`);
    const changes = Array.isArray(page.changes) ? page.changes.filter(isJsonObject) : [];
    for (const change of changes) io.out(`${JSON.stringify(change)}\n`);
    if (!isFollowing && page.has_more !== true) {
      if (words.flag('json')) io.out(`${JSON.stringify({ cursor: page.cursor })}\n`);
      else io.err(`To go on: --after ${page.cursor}\n`);
      return EXIT_DONE;
    }
    query.set('after', String(page.cursor));
  }
}
