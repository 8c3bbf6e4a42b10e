// Bounds connections by the limit of open files, so that they leave enough of them for indexes and threads.
import type { Logger } from '../http/request-log.ts';
import type { OpenFiles } from './open-files-shares.ts';
import type { Settings } from './settings.ts';

/** Connections may take this share. */
const CONNECTIONS_SHARE = 0.5;

/** The connections to accept. Warns when they are fewer than the settings allow. */
export function boundConnections(
  settings: Pick<Settings, 'connectionsMax'>,
  logger: Pick<Logger, 'warn'>,
  files: OpenFiles | null,
): number {
  const { connectionsMax } = settings;
  if (files === null || connectionsMax <= files.shared * CONNECTIONS_SHARE) return connectionsMax;
  const accepted = Math.max(1, Math.floor(files.shared * CONNECTIONS_SHARE));
  const filesNeeded = connectionsMax / CONNECTIONS_SHARE + (files.all - files.shared);
  logger.warn(
    { filesMax: files.all, connectionsMax, accepted, filesNeeded },
    'the system lets this process open too few files for PINYON_CONNECTIONS_MAX, so it accepts fewer connections: ' +
      'raise the limit (ulimit -n, LimitNOFILE) or lower the setting',
  );
  return accepted;
}
