// The files of the second set of questions: texts of its own in ten languages, and documents of installed packages.
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makePdf, type PdfPageText } from '../../src/documents/testing/make-pdf.ts';

const TEXTS = fileURLToPath(new URL('texts/', import.meta.url));
const PACKAGES = fileURLToPath(new URL('../../node_modules/', import.meta.url));
/** Pages that are made into a PDF file. */
const PDF_PAGES = '.pdf.json';

/** By the name that they get. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  'Server.md': 'fastify/docs/Reference/Server.md',
  'Hooks.md': 'fastify/docs/Reference/Hooks.md',
  'Errors.md': 'fastify/docs/Reference/Errors.md',
  'LTS.md': 'fastify/docs/Reference/LTS.md',
  'semver.md': 'semver/README.md',
  'lmdb.md': 'lmdb/README.md',
};

/** Writes the files to an empty folder. */
export async function writeOwnFiles(folder: string): Promise<void> {
  for (const name of readdirSync(TEXTS)) {
    if (name.endsWith(PDF_PAGES)) {
      const pages = JSON.parse(readFileSync(join(TEXTS, name), 'utf8')) as readonly PdfPageText[];
      writeFileSync(join(folder, name.replace(PDF_PAGES, '.pdf')), await makePdf(pages));
    } else copyFileSync(join(TEXTS, name), join(folder, name));
  }
  for (const [name, path] of Object.entries(DOCUMENTS)) {
    copyFileSync(join(PACKAGES, path), join(folder, name));
  }
}
