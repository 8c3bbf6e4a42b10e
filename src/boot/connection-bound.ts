// Bounds connections by the limit of open files, so that they leave enough of them for indexes and threads.
import type { Logger } from '../http/request-log.ts';
import { openFilesMax } from '../platform/open-files.ts';

/** Connections may take this share. A process that cannot open files loses its threads. */
const CONNECTIONS_SHARE = 0.5;

/** The connections to accept. Warns when they are fewer than the settings allow. */
export function boundConnections(
  settings: { readonly connectionsMax: number },
  logger: Pick<Logger, 'warn'>,
  filesMax: number | null = openFilesMax(),
): number {
  const { connectionsMax } = settings;
  if (filesMax === null || connectionsMax <= filesMax * CONNECTIONS_SHARE) return connectionsMax;
  const accepted = Math.floor(filesMax * CONNECTIONS_SHARE);
  logger.warn(
    { filesMax, connectionsMax, accepted, filesNeeded: connectionsMax / CONNECTIONS_SHARE },
    'the system lets this process open too few files for PINYON_CONNECTIONS_MAX, so it accepts fewer connections: ' +
      'raise the limit (ulimit -n, LimitNOFILE) or lower the setting',
  );
  return accepted;
}
