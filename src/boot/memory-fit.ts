// Whether what the settings let the server take fits into the memory there is. Parsers and threads that read or write
// files come on top while they run: docs/sizing.md.
import { IDLE_MEBIBYTES, memoryMebibytes } from '../platform/machine-memory.ts';
import type { Settings } from './settings.ts';

type Bounds = Pick<Settings, 'engine' | 'memoryMebibytesMax' | 'bodyMebibytesMax'>;

/** A sentence for the log; null where it fits. @param mebibytes memory of the machine or its control group */
export function memoryProblem(
  { engine, memoryMebibytesMax, bodyMebibytesMax }: Bounds,
  mebibytes: number = memoryMebibytes(),
): string | null {
  const search = engine === 'embedded' ? memoryMebibytesMax : 0;
  const sum = IDLE_MEBIBYTES + search + bodyMebibytesMax;
  if (sum <= mebibytes) return null;
  const settings = search === 0 ? '' : `PINYON_MEMORY_MEBIBYTES_MAX (${search}) and `;
  return (
    `The server may take ${sum} MiB of memory, and has ${mebibytes}: ${IDLE_MEBIBYTES} for itself, ` +
    `${settings}PINYON_BODY_MEBIBYTES_MAX (${bodyMebibytesMax}). Lower the settings or give it more memory: ` +
    'otherwise the system may end it.'
  );
}
