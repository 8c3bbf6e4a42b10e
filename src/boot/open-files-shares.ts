// How the files that the system lets this process have open are shared: ports of indexes first, then connections, then
// indexes. The rest is for everything else: a process that cannot open files loses its threads.
import { openFilesMax } from '../platform/open-files.ts';
import type { Settings } from './settings.ts';

/** The largest share of the ports. */
const PORTS_SHARE = 0.125;

export interface OpenFiles {
  /** How many ports indexes may have. */
  readonly portsMax: number;
  /** What these leave. */
  readonly others: number;
  readonly all: number;
}

/** Null where the system has no limit, or does not say. */
export function openFiles(
  { publicDomain, indexPorts }: Pick<Settings, 'publicDomain' | 'indexPorts'>,
  filesMax: number | null = openFilesMax(),
): OpenFiles | null {
  if (filesMax === null) return null;
  const ports = publicDomain === null ? indexPorts.last - indexPorts.first + 1 : 0;
  const portsMax = Math.min(ports, Math.max(1, Math.floor(filesMax * PORTS_SHARE)));
  return { portsMax, others: filesMax - portsMax, all: filesMax };
}
