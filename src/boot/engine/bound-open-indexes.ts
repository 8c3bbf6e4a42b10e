// Bounds the indexes that stay open by the limit of open files, so that they leave enough of them for connections.
import type { Logger } from '../../http/request-log.ts';
import type { OpenFiles } from '../open-files-shares.ts';
import type { Settings } from '../settings.ts';

/** Indexes may take this share; connections take half. */
const INDEXES_SHARE = 0.25;
/** The file of records and its lock, and for vectors one of the writer. Each reader opens the vectors for itself. */
const FILES_OF_WRITER = 3;

/** The indexes to keep open. The log says so when they are fewer than the settings allow, which costs only time. */
export function boundOpenIndexes(
  settings: Pick<Settings, 'openIndexesMax' | 'searchThreads'>,
  logger: Pick<Logger, 'info'>,
  files: OpenFiles | null,
): number {
  const { openIndexesMax, searchThreads } = settings;
  const filesEach = FILES_OF_WRITER + searchThreads;
  if (files === null || openIndexesMax * filesEach <= files.shared * INDEXES_SHARE) return openIndexesMax;
  const open = Math.max(1, Math.floor((files.shared * INDEXES_SHARE) / filesEach));
  const filesNeeded = (openIndexesMax * filesEach) / INDEXES_SHARE + (files.all - files.shared);
  logger.info(
    { filesMax: files.all, openIndexesMax, open, filesNeeded },
    'the system lets this process open too few files for PINYON_OPEN_INDEXES_MAX, so fewer indexes stay open: raise ' +
      'the limit (ulimit -n, LimitNOFILE) or lower the setting',
  );
  return open;
}
