// pinyon check: verifies everything in a data directory, or the indexes of a running server.
import { join } from 'node:path';
import { adoptArchives } from '../../app/integrity/adopt-archives.ts';
import { adoptAssistants } from '../../app/integrity/adopt-assistants.ts';
import { adoptIndexes } from '../../app/integrity/adopt-indexes.ts';
import { checkDirectory } from '../../app/integrity/check-directory.ts';
import { type DirectoryReport, isWhole, reportText } from '../../app/integrity/directory-report.ts';
import { openCatalog } from '../../catalog/sqlite/open-catalog.ts';
import { CliProblem, EXIT_DONE, EXIT_FAILED, type Io, misuse, type ParsedWords } from '../../cli/command.ts';
import { checkOnline } from '../../cli/commands/check-online.ts';
import { print } from '../../cli/terminal/print.ts';
import { Progress } from '../../cli/terminal/progress.ts';
import { counted } from '../../cli/terminal/watch.ts';
import type { IndexDescription } from '../../domain/index-description.ts';
import { inspectStorage } from '../../engine/embedded/inspect-storage.ts';
import { isMarked } from '../catalog/catalog-mark.ts';
import { CATALOG_FILE } from '../data-dir.ts';
import { openConfiguredBlobs } from '../open-configured-blobs.ts';
import { readSettings } from '../read-settings.ts';
import { type OpenDirectory, openDirectory } from './open-directory.ts';

export async function check(words: ParsedWords, io: Io): Promise<number> {
  if (words.flag('online')) {
    if (words.flag('adopt'))
      throw misuse('--adopt needs a server that is stopped, and --online one that runs.');
    return checkOnline(words, io);
  }
  if (words.positionals.length > 0)
    throw misuse('Naming indexes needs --online; the data directory is checked as a whole.');
  const { report, dataDir } = await checkStopped(io, { isMade: words.flag('adopt') });
  if (!words.flag('adopt')) {
    print(words, io, { json: jsonOf(report), text: reportText(report) });
    return isWhole(report) ? EXIT_DONE : EXIT_FAILED;
  }
  const { adopted, archives, assistants } = await adopt(report, dataDir, io);
  const text = [
    reportText(report),
    ...adopted.map(({ name, project }) => `adopted: index ${name} (project ${project})`),
    ...archives.adopted.map(
      ({ id, source, records }) => `adopted: backup ${id} of index ${source}, ${counted(records, 'record')}`,
    ),
    ...archives.refused.map(({ id, reason }) => `NOT adopted: backup ${id}: ${reason}`),
    ...assistants.adopted.map(
      ({ name, project, files }) =>
        `adopted: assistant ${name} (project ${project}), ${counted(files, 'file')} to process anew`,
    ),
    ...assistants.refused.map(({ what, reason }) => `NOT adopted: ${what}: ${reason}`),
    adopted.length + archives.adopted.length + assistants.adopted.length === 0
      ? 'There was nothing to adopt.'
      : 'The next start serves them. Keys must be created again.',
  ].join('\n');
  const { adopted: backups, refused } = archives;
  print(words, io, {
    json: {
      ...jsonOf(report),
      ...{ adopted, adopted_backups: backups, refused_backups: refused },
      adopted_assistants: assistants.adopted.map(({ indexIds: _, ...each }) => each),
      refused_files: assistants.refused,
    },
    text,
  });
  const owned = new Set(assistants.adopted.flatMap(({ indexIds }) => indexIds));
  const left = report.orphans.filter(({ id }) => !owned.has(id)).length - adopted.length;
  const isAll = left === 0 && refused.length === 0 && assistants.refused.length === 0;
  return isAll ? EXIT_DONE : EXIT_FAILED;
}

async function checkStopped(
  io: Io,
  options: { readonly isMade: boolean },
): Promise<{ readonly report: DirectoryReport; readonly dataDir: string }> {
  const directory = await openDirectory(io.environment, options);
  try {
    return { report: await runCheck(directory, io), dataDir: directory.dataDir };
  } finally {
    await directory.close();
  }
}

async function runCheck({ reading, blobs, storage }: OpenDirectory, io: Io): Promise<DirectoryReport> {
  const progress = new Progress(io, 'Check');
  try {
    return await checkDirectory({
      catalog: reading.catalog,
      catalogProblem: reading.problem,
      ...{ blobs, storage, signal: io.signal },
      onProgress: (what, share) => progress.show(100 * Math.min(1, share), what),
    });
  } finally {
    progress.end();
  }
}

async function adopt({ orphans, catalog: problem }: DirectoryReport, dataDir: string, io: Io) {
  const path = join(dataDir, CATALOG_FILE);
  if (isMarked(dataDir))
    throw new CliProblem(
      'The catalog is on PostgreSQL. Bring it back to adopt indexes: pinyon catalog copy --to sqlite.',
    );
  // Never replaces a damaged catalog: it may still be saved.
  if (problem !== null && !problem.endsWith('is missing or empty'))
    throw new CliProblem(`${problem} Move it away to adopt all indexes into a new catalog.`);
  const storage = inspectStorage(dataDir);
  const described = orphans.flatMap(({ id }): readonly IndexDescription[] => {
    const found = storage.description(id);
    return found.state === 'whole' ? [found.description] : [];
  });
  const catalog = await openCatalog({ path });
  const blobs = await openConfiguredBlobs(readSettings(io.environment));
  try {
    const adopted = await adoptIndexes(catalog, described);
    const archives = await adoptArchives(catalog, blobs, io.signal);
    return { adopted, archives, assistants: await adoptAssistants(catalog, blobs, io.signal) };
  } finally {
    await blobs.close();
    await catalog.close();
  }
}

/** The report as JSON, with the field names of the HTTP interface. */
function jsonOf(report: DirectoryReport): object {
  return {
    is_whole: isWhole(report),
    catalog: report.catalog,
    indexes: report.indexes.map(({ check, ...index }) => ({ ...index, ...check })),
    orphans: report.orphans.map(({ check, ...index }) => ({ ...index, ...check })),
    backups: report.backups,
    files: report.files,
  };
}
