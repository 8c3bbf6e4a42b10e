// Gives new connections the certificate that its files hold now: when the files change, and on SIGHUP.
import { type FSWatcher, realpathSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import type { TlsFiles } from '../http/connections/protocol-handlers.ts';
import type { Logger } from '../http/request-log.ts';
import type { Server } from '../http/server.ts';
import { SettingsProblem } from './read-settings.ts';
import type { Settings } from './settings.ts';
import { readTlsFiles } from './tls-files.ts';

/** Tools write the two files one after the other: the pair is read when nothing has changed for this long. */
const SETTLE_MS = 1_000;
/** For file systems that report no changes, and for links whose targets change elsewhere. */
const POLL_MS = 60_000;

export interface TlsReload {
  /** Reads the files again, at once. Logs the outcome. */
  reload(): void;
  close(): void;
}

interface Parts {
  readonly settings: Pick<Settings, 'tlsCert' | 'tlsKey'>;
  readonly server: Pick<Server, 'useTls'>;
  readonly logger: Pick<Logger, 'info' | 'error'>;
  readonly settleMs?: number;
}

/**
 * Watches the folders of both files, so that replacements by renaming and swaps of links are seen, as Kubernetes makes
 * them. A pair that cannot be used is refused with a log line, and the former one stays.
 * @param inUse what the server has now; null without TLS, when nothing is watched
 */
export function reloadTlsFiles(
  inUse: TlsFiles | null,
  { settings, server, logger, settleMs = SETTLE_MS }: Parts,
): TlsReload {
  let current = inUse;
  /** The problems logged last: each is logged once while the files stay as they are. */
  let refused = '';
  let watchers: readonly FSWatcher[] = [];
  let settling: NodeJS.Timeout | undefined;

  const check = (cause: string, isSilent: boolean) => {
    try {
      const files = readTlsFiles(settings);
      refused = '';
      if (files === null) logger.info(`${cause}: PINYON_TLS_CERT is not set, so there is nothing to reload`);
      if (files === null || (isSilent && isSame(files, current))) return;
      server.useTls(files);
      current = files;
      logger.info({ tlsCert: settings.tlsCert }, `${cause}: the TLS certificate was reloaded`);
    } catch (error) {
      const problems = error instanceof SettingsProblem ? error.problems : [String(error)];
      if (isSilent && refused === problems.join()) return;
      refused = problems.join();
      logger.error(
        { problems },
        `${cause}: the TLS certificate was not reloaded; the former one stays in use`,
      );
    }
  };
  const onChange = () => {
    clearTimeout(settling);
    settling = setTimeout(() => {
      check('changed files', true);
      rewatch();
    }, settleMs);
    settling.unref();
  };
  const rewatch = () => {
    for (const watcher of watchers) watcher.close();
    watchers = foldersOf(settings).flatMap((folder) => watched(folder, onChange));
  };

  if (inUse === null) return { reload: () => check('SIGHUP', false), close: () => undefined };
  rewatch();
  const polling = setInterval(() => check('changed files', true), POLL_MS);
  polling.unref();
  return {
    reload: () => check('SIGHUP', false),
    close: () => {
      clearTimeout(settling);
      clearInterval(polling);
      for (const watcher of watchers) watcher.close();
    },
  };
}

function isSame(files: TlsFiles, other: TlsFiles | null): boolean {
  return files.cert === other?.cert && files.key === other.key;
}

/** The folders of both files, and those that links lead to now. */
function foldersOf({ tlsCert, tlsKey }: Pick<Settings, 'tlsCert' | 'tlsKey'>): readonly string[] {
  const paths = [tlsCert, tlsKey].filter((path) => path !== null);
  return [...new Set(paths.flatMap((path) => [dirname(path), ...targetFolder(path)]))];
}

function targetFolder(path: string): readonly string[] {
  try {
    return [dirname(realpathSync(path))];
  } catch {
    // Just now replaced; its folder is watched.
    return [];
  }
}

/** No watcher where the system has none left: polling remains. */
function watched(folder: string, onChange: () => void): readonly FSWatcher[] {
  try {
    const watcher = watch(folder, { persistent: false }, onChange);
    watcher.on('error', () => watcher.close());
    return [watcher];
  } catch {
    return [];
  }
}
