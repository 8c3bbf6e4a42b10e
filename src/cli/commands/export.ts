// pinyon export: writes an index to files that an import can read, at the server or on this machine.
import { ApiClient } from '../api-client.ts';
import { choice, misuse, readWords } from '../arguments.ts';
import { EXIT_DONE, type Io } from '../command.ts';
import { downloadExport, requireEmptyFolder } from '../download-export.ts';
import { print } from '../print.ts';
import { counted } from '../watch.ts';
import { endedOtherwise, watchTransfer } from './import.ts';

const HELP = `
Usage: pinyon export INDEX --to FOLDER [--namespace NAME] [--format parquet|jsonl]
       pinyon export INDEX --uri URI [--namespace NAME] [--format parquet|jsonl] [--no-wait]

Writes one consistent state of the index to files that 'pinyon import' can read, with a manifest of their
counts and checksums.

  --to FOLDER         New or empty folder on this machine; downloads the files and verifies their checksums
  --uri URI           s3://BUCKET/FOLDER or file:///FOLDER on the server's machine, within its
                      setting PINYON_EXPORT_TO
  --namespace NAME    Only this namespace; __default__ for the default one
  --format FORMAT     parquet (default for vectors) or jsonl (default for documents)
  --no-wait           With --uri: return as soon as the export has started
`;

export async function exportFiles(line: readonly string[], io: Io): Promise<number> {
  const options = {
    to: { type: 'string' },
    uri: { type: 'string' },
    namespace: { type: 'string' },
    format: { type: 'string' },
    'no-wait': { type: 'boolean' },
  } as const;
  const words = readWords(line, { help: HELP, options, positionalsMin: 1, positionalsMax: 1 }, io);
  if (words === null) return EXIT_DONE;
  const [name = ''] = words.positionals;
  const [folder, uri, namespace] = [words.text('to'), words.text('uri'), words.text('namespace')];
  if ((folder === undefined) === (uri === undefined)) throw misuse('Pass either --to or --uri.');
  const format =
    words.text('format') === undefined ? undefined : choice(words, 'format', ['parquet', 'jsonl']);
  const index = await ApiClient.of(words, io).ofIndex(name);
  if (folder !== undefined) await requireEmptyFolder(folder);
  const begun = await index.call('POST', '/bulk/exports', {
    body: {
      ...(format === undefined ? {} : { format }),
      ...(uri === undefined ? {} : { uri }),
      ...(namespace === undefined ? {} : { namespace }),
    },
    isOnce: true,
  });
  const id = String(begun.id);
  if (words.flag('no-wait') && uri !== undefined) {
    print(words, io, { json: begun, text: `Export ${id} of index ${name} has started.` });
    return EXIT_DONE;
  }
  const path = `/bulk/exports/${id}`;
  const json = await watchTransfer(index, { what: 'Export', path, counted: 'recordsExported' }, io);
  if (json.status !== 'Completed') throw endedOtherwise(`Export ${id}`, json);
  if (folder !== undefined) {
    await downloadExport(index, { id, folder }, io);
    await index.call('DELETE', path);
  }
  const text = `Export ${id} wrote ${counted(json.recordsExported, 'record')} of index ${name} to ${folder ?? uri}.`;
  print(words, io, { json: { ...json, ...(folder === undefined ? {} : { folder }) }, text });
  return EXIT_DONE;
}
