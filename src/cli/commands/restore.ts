// pinyon restore: creates a new index from a backup.
import { ApiClient } from '../api-client.ts';
import { misuse, type ParsedWords, readWords } from '../arguments.ts';
import { CliProblem, EXIT_DONE, type Io } from '../command.ts';
import { print } from '../print.ts';
import { watch } from '../watch.ts';

const HELP = `
Usage: pinyon restore BACKUP_ID NEW_INDEX [--tag KEY=VALUE]... [--deletion-protection] [--no-wait]

Creates the index NEW_INDEX from a backup, and waits until it is Ready.

  --tag KEY=VALUE         Tag of the new index, in place of those of the backup; may be repeated
  --deletion-protection   Protects the new index from deletion
  --no-wait               Return as soon as the restore has started
`;

export async function restore(line: readonly string[], io: Io): Promise<number> {
  const options = {
    tag: { type: 'string', multiple: true },
    'deletion-protection': { type: 'boolean' },
    'no-wait': { type: 'boolean' },
  } as const;
  const words = readWords(line, { help: HELP, options, positionalsMin: 2, positionalsMax: 2 }, io);
  if (words === null) return EXIT_DONE;
  const [backupId = '', name = ''] = words.positionals;
  const client = ApiClient.of(words, io);
  const begun = await client.call('POST', `/backups/${encodeURIComponent(backupId)}/create-index`, {
    body: {
      name,
      ...tagsOf(words),
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
  if (json.status !== 'Completed') throw new CliProblem(`Restore job ${id} ended as ${json.status}.`);
  print(words, io, { json, text: `Index ${name} is restored from backup ${backupId}.` });
  return EXIT_DONE;
}

function tagsOf(words: ParsedWords): { readonly tags?: Readonly<Record<string, string>> } {
  const given = words.texts('tag');
  if (given.length === 0) return {};
  const pairs = given.map((text) => {
    const at = text.indexOf('=');
    if (at < 1) throw misuse(`--tag must be KEY=VALUE, got ${text}.`);
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  return { tags: Object.fromEntries(pairs) };
}
