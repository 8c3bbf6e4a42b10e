// The room on the disk of a folder.
import { statfs } from 'node:fs/promises';

export interface DiskSpace {
  readonly sizeBytes: number;
  /** What this user may still write. */
  readonly freeBytes: number;
}

/** Null while the system does not tell, as of a folder that is away. */
export async function diskSpace(folder: string): Promise<DiskSpace | null> {
  try {
    const { blocks, bavail, bsize } = await statfs(folder);
    return { sizeBytes: blocks * bsize, freeBytes: bavail * bsize };
  } catch {
    return null;
  }
}
