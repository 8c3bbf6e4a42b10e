// Faults for errors of the operating system that are nobody's bug: a full disk, wrong permissions, no file descriptors left.
import { type Fault, fault } from '../faults.ts';

interface DiskError {
  readonly meaning: string;
  /** What LMDB, SQLite and libuv say, whose errors lack the code. */
  readonly text: RegExp;
}

const DISK_ERRORS: Readonly<Record<string, DiskError>> = {
  ENOSPC: { meaning: 'the disk is full', text: /no space left on device|database or disk is full/i },
  EDQUOT: { meaning: 'the disk quota is used up', text: /disk quota exceeded/i },
  EFBIG: { meaning: 'a file has reached the largest size allowed', text: /file too large/i },
  EROFS: { meaning: 'the file system is read-only', text: /read-only file system/i },
  EACCES: {
    meaning: 'its user may not use a file or folder there',
    text: /^(?:EACCES: )?permission denied[:,]/i,
  },
  EPERM: {
    meaning: 'the system does not permit what it does there',
    text: /^(?:EPERM: )?operation not permitted[:,]/i,
  },
  EIO: { meaning: 'the disk reports an input/output error', text: /input\/output error|\bi\/o error/i },
};
/** Of LMDB, which uses a store no more once a write of its meta page has failed. */
const GIVEN_UP_TEXT = /environment had fatal error/i;
const OUT_OF_FILES = new Set(['EMFILE', 'ENFILE']);
const OUT_OF_FILES_TEXT = /\bE[MN]FILE\b|too many open files/i;

/** The code of an error that a disk reports, as ENOSPC, or of its cause; undefined for other errors. */
export function diskErrorOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = codeOf(error);
  if (code !== undefined && Object.hasOwn(DISK_ERRORS, code)) return code;
  const told = Object.keys(DISK_ERRORS).find((each) => DISK_ERRORS[each]?.text.test(error.message));
  return told ?? diskErrorOf(error.cause);
}

export function diskFault(code: string): Fault {
  const { meaning = 'it refuses a write' } = DISK_ERRORS[code] ?? {};
  return fault('storage-full', { reason: `${meaning} (${code})` });
}

/** True for errors of a store that must be closed by all threads, and opened again, before it is of use. */
export function isGivenUp(error: unknown): boolean {
  return error instanceof Error && GIVEN_UP_TEXT.test(error.message);
}

/** The fault for an error of the operating system; undefined for any other error. */
export function systemFault(error: unknown): Fault | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = codeOf(error);
  if ((code !== undefined && OUT_OF_FILES.has(code)) || OUT_OF_FILES_TEXT.test(error.message)) {
    return fault('out-of-files');
  }
  if (isGivenUp(error)) return fault('interrupted');
  const disk = diskErrorOf(error);
  return disk === undefined ? undefined : diskFault(disk);
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
