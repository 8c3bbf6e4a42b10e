// How the files that the system lets this process have open are shared: ports of indexes first, then connections, then
// indexes. The rest is for everything else: a process that cannot open files loses its threads.
import { openFilesMax } from '../platform/open-files.ts';
import type { Settings } from './settings.ts';

/** The largest share of the ports, beyond which no index is created. Those that exist keep theirs. */
const PORTS_SHARE = 0.125;

export interface OpenFiles {
  /** With how many ports an index may still be created. */
  readonly portsMax: number;
  /** What indexes take: those, or more where there are more indexes. */
  readonly ports: number;
  /** What these leave. */
  readonly others: number;
  readonly all: number;
}

/**
 * Null where the system has no limit, or does not say.
 * @param indexes how many there are, each with a port unless hosts are virtual
 */
export function openFiles(
  { publicDomain, indexPorts }: Pick<Settings, 'publicDomain' | 'indexPorts'>,
  indexes: number,
  filesMax: number | null = openFilesMax(),
): OpenFiles | null {
  if (filesMax === null) return null;
  if (publicDomain !== null) return { portsMax: 0, ports: 0, others: filesMax, all: filesMax };
  const range = indexPorts.last - indexPorts.first + 1;
  const portsMax = Math.min(range, Math.max(1, Math.floor(filesMax * PORTS_SHARE)));
  const ports = Math.max(portsMax, indexes);
  return { portsMax, ports, others: Math.max(0, filesMax - ports), all: filesMax };
}
