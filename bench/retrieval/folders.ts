// Where the bench keeps what it does not commit.
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** PINYON_MANUAL_PAGES names another folder. */
export const MANUAL_PAGES = process.env.PINYON_MANUAL_PAGES ?? join(tmpdir(), 'pinyon-manual-pages');
