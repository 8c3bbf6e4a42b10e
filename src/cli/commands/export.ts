// pinyon export: writes an index to files that an import can read, at the server or on this machine.
import { ApiClient } from '../client/api-client.ts';
import { EXIT_DONE, type Io, misuse, type ParsedWords } from '../command.ts';
import { print } from '../terminal/print.ts';
import { counted, endedOtherwise } from '../terminal/watch.ts';
import { downloadExport, requireEmptyFolder } from './download-export.ts';
import { watchTransfer } from './import.ts';

export async function exportFiles(words: ParsedWords, io: Io): Promise<number> {
  const [name = ''] = words.positionals;
  const [folder, uri, namespace] = [words.text('to'), words.text('uri'), words.text('namespace')];
  if ((folder === undefined) === (uri === undefined)) throw misuse('Pass either --to or --uri.');
  const format = words.text('format');
  const index = await (await ApiClient.of(words, io)).ofIndex(name);
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
