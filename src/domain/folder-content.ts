// What a folder has, beside what its file system puts there.

/** In the root of each volume of ext4 from its making on. */
const OF_FILE_SYSTEM = 'lost+found';

/** The names of entries without those that a fresh volume has. */
export function contentOf(names: readonly string[]): readonly string[] {
  return names.filter((name) => name !== OF_FILE_SYSTEM);
}
