// All that crash tests do at once.
import type { Random } from '../random.ts';
import type { Activity } from './activity.ts';
import { Backups } from './backups.ts';
import { DocumentGroups } from './document-groups.ts';
import { Imports } from './imports.ts';
import { IndexLives } from './index-lives.ts';
import { RecordGroups } from './record-groups.ts';
import { Uploads } from './uploads.ts';

/** @param folder where files to import are put; the server must be started with `importEnvironment` of it */
export function allActivities(random: Random, folder: string): readonly Activity[] {
  return [
    new RecordGroups('dense', { isSparse: false, random }),
    new RecordGroups('sparse', { isSparse: true, random }),
    new DocumentGroups(random),
    new IndexLives(random),
    new Backups(),
    new Uploads(random),
    new Imports(folder),
  ];
}

export function importEnvironment(folder: string): Readonly<Record<string, string>> {
  return { PINYON_IMPORT_FROM: `file://${folder}`, PINYON_IMPORT_PUBLIC: 'false' };
}
