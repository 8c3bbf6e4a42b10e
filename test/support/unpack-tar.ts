// Unpacks a tar archive of plain files and folders, as `tar --format=ustar` makes it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const BLOCK_BYTES = 512;
/** A header's fields: first byte and length. */
const NAME = [0, 100] as const;
const SIZE = [124, 12] as const;
const TYPE = [156, 1] as const;
const PREFIX = [345, 155] as const;

/** Writes the files below `folder`. @throws at entries that are neither files nor folders */
export function unpackTar(archive: Buffer, folder: string): void {
  for (let at = 0; at < archive.length; ) {
    const field = ([first, length]: readonly [number, number]): string => {
      const bytes = archive.subarray(at + first, at + first + length);
      const end = bytes.indexOf(0);
      return bytes.toString('utf8', 0, end < 0 ? length : end);
    };
    const name = field(NAME);
    // Empty blocks end the archive.
    if (name === '') return;
    const path = join(folder, field(PREFIX), name);
    const size = Number.parseInt(field(SIZE), 8);
    const content = at + BLOCK_BYTES;
    const type = field(TYPE);
    if (type === '5') mkdirSync(path, { recursive: true });
    else if (type === '0') {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, archive.subarray(content, content + size));
    } else throw new Error(`${path}: entries of type ${type} are not supported`);
    at = content + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
  }
}
