// Memory that a virtual machine has at hand: what was freed long ago may be the host's again, and touching it first then costs
// seconds a gigabyte, whoever does it.
import { execFileSync } from 'node:child_process';

/** Lets a process touch so many bytes and end, so that the next one to touch them need not wait for the host. */
export function takeMemoryFromHost(bytes: number): void {
  execFileSync(process.execPath, ['-e', `Buffer.alloc(${bytes}, 1)`]);
}
