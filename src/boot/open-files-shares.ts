// How the files that the system lets this process have open are shared: connections get half, indexes a quarter, and their
// ports an eighth. The rest is for everything else: a process that cannot open files loses its threads.
import { openFilesMax } from '../platform/open-files.ts';
import type { Settings } from './settings.ts';

/** The largest share of the ports, beyond which no index is created. Those that exist keep theirs. */
const PORTS_SHARE = 1 / 8;

export interface OpenFiles {
  /** With how many ports an index may still be created. */
  readonly portsMax: number;
  /** All, or fewer where ports take more than their share: so many that the rest are the shares of the others. */
  readonly shared: number;
  readonly all: number;
}

/**
 * Null where the system has no limit, or does not say.
 * @param indexes how many there are, each with a port unless hosts are virtual
 */
export function openFiles(
  { publicDomain }: Pick<Settings, 'publicDomain'>,
  indexes: number,
  filesMax: number | null = openFilesMax(),
): OpenFiles | null {
  if (filesMax === null) return null;
  const portsMax = Math.max(1, Math.floor(filesMax * PORTS_SHARE));
  const ports = publicDomain === null ? indexes : 0;
  const left = Math.max(0, filesMax - ports);
  return { portsMax, shared: Math.min(filesMax, Math.floor(left / (1 - PORTS_SHARE))), all: filesMax };
}
