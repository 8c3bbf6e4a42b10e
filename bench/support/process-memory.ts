// What a process holds, as the kernel counts it.
import { readFileSync } from 'node:fs';

export interface ProcessMemory {
  /** All resident bytes. */
  readonly resident: number;
  /** Without pages of files, which the system can drop and read again. */
  readonly held: number;
}

export function processMemory(pid: number): ProcessMemory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string) =>
    1024 * Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
  return { resident: bytes('VmRSS'), held: bytes('RssAnon') + bytes('RssShmem') };
}

/** Bytes of a process and all its children. */
export function familyMemory(pid: number): ProcessMemory {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return children
    .map((child) => familyMemory(Number(child)))
    .reduce(
      (sum, one) => ({ resident: sum.resident + one.resident, held: sum.held + one.held }),
      processMemory(pid),
    );
}
