// Keeps commands of root from making files in the data directory of another user, whose server could not open them.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { CliProblem, EXIT_MISUSED } from '../cli/command.ts';
import { CATALOG_FILE, CATALOG_MARK } from './data-dir.ts';

const ROOT = 0;

/**
 * For commands that work on the data of a stopped server. A directory that is not there belongs to whoever makes it.
 * @param uid the user that the process runs as; absent where the system has no such ids
 * @throws CliProblem when root would write into another user's data
 */
export function assertOwner(dataDir: string, uid: number | undefined = process.geteuid?.()): void {
  if (uid !== ROOT) return;
  const owner = ownerOf(dataDir);
  if (owner === undefined || owner === ROOT) return;
  throw new CliProblem(
    `The data in ${dataDir} belongs to user ${owner}, whose server could not open what root writes there. ` +
      `Run the command as that user: runuser -u "$(id -nu ${owner})" -- pinyon ...`,
    EXIT_MISUSED,
  );
}

/** Who wrote the catalog: in a container that may be root, in a mounted directory of somebody else. */
function ownerOf(dataDir: string): number | undefined {
  return [CATALOG_FILE, CATALOG_MARK, '.']
    .map((name) => statSync(join(dataDir, name), { throwIfNoEntry: false })?.uid)
    .find((uid) => uid !== undefined);
}
