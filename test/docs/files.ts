// The files that examples name, in the folder where they run.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pdfOf } from '../support/documents.ts';

const HANDBOOK = 'The canal has 14 locks. The oldest of them was built in 1832.';

export async function writeFiles(folder: string): Promise<void> {
  writeFileSync(join(folder, 'handbook.pdf'), await pdfOf(HANDBOOK));
}
