// pinyon restore: creates a new index from a backup.
import { ApiClient } from '../client/api-client.ts';
import { EXIT_DONE, type Io, type ParsedWords } from '../command.ts';
import { pairs } from '../line/parse-words.ts';
import { print } from '../terminal/print.ts';
import { endedOtherwise, watch } from '../terminal/watch.ts';

export async function restore(words: ParsedWords, io: Io): Promise<number> {
  const [backupId = '', name = ''] = words.positionals;
  const tags = pairs(words, 'tag');
  const client = await ApiClient.of(words, io);
  const begun = await client.call('POST', `/backups/${encodeURIComponent(backupId)}/create-index`, {
    body: {
      name,
      ...(tags === undefined ? {} : { tags }),
      ...(words.flag('deletion-protection') ? { deletion_protection: 'enabled' } : {}),
    },
    isOnce: true,
  });
  const id = String(begun.restore_job_id);
  if (words.flag('no-wait')) {
    print(words, io, { json: begun, text: `Restore job ${id} for index ${name} has started.` });
    return EXIT_DONE;
  }
  const json = await watch(
    {
      what: 'Restore',
      look: () => client.call('GET', `/restore-jobs/${id}`),
      percentOf: ({ percent_complete: percent }) => Number(percent ?? 0),
      detailOf: ({ status }) => String(status),
      hasEnded: ({ status }) => ['Completed', 'Failed', 'Cancelled'].includes(String(status)),
    },
    io,
  );
  if (json.status !== 'Completed') throw endedOtherwise(`Restore job ${id}`, json);
  print(words, io, { json, text: `Index ${name} is restored from backup ${backupId}.` });
  return EXIT_DONE;
}
