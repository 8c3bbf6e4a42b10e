// Reads scans with a real Tesseract: pages of text, drawn by a real renderer as pictures, one of them turned. Installs the
// Debian packages where it may, and says SKIPPED elsewhere. Run: npm run test:ocr
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { degrees, PDFDocument, StandardFonts } from 'pdf-lib';
import { createAssistantWithFile } from '../support/assistant-with-file.ts';
import { startService } from '../support/service.ts';

const PACKAGES = ['tesseract-ocr', 'poppler-utils'];
const PROGRAMS = ['tesseract', 'pdftoppm'];
const PAGES = [
  ['The harbor of Brentwick opened in 1874.', 'Its first harbor master was a woman', 'named Clara Holm.'],
  [
    'The lighthouse burns eleven liters of oil',
    'every night. Two keepers take turns,',
    'and both live in the tower.',
  ],
  ['Boats longer than thirty meters must wait', 'outside the wall until a pilot comes', 'on board.'],
];

function isThere(program: string): boolean {
  return spawnSync('which', [program]).status === 0;
}

function whyNotHere(): string | null {
  if (PROGRAMS.every(isThere)) return null;
  if (process.getuid?.() !== 0 || !isThere('apt-get'))
    return `Tesseract is not installed (Debian: apt-get install ${PACKAGES.join(' ')})`;
  spawnSync('apt-get', ['update', '-qq'], { stdio: 'inherit' });
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...PACKAGES], {
    stdio: 'inherit',
  });
  return PROGRAMS.every(isThere) ? null : `apt-get could not install ${PACKAGES.join(' ')}`;
}

/** A page of text, a picture of the second page, and one of the third that was scanned upside down. */
async function mixedFile(folder: string): Promise<Uint8Array<ArrayBuffer>> {
  const text = await PDFDocument.create();
  const font = await text.embedFont(StandardFonts.TimesRoman);
  for (const lines of PAGES) {
    const page = text.addPage([595, 842]);
    for (let round = 0; round < 3; round++) {
      for (const [at, line] of lines.entries())
        page.drawText(line, { x: 70, y: 740 - round * 120 - at * 22, size: 16, font });
    }
  }
  writeFileSync(join(folder, 'text.pdf'), await text.save());
  spawnSync('pdftoppm', ['-r', '200', '-png', join(folder, 'text.pdf'), join(folder, 'page')]);
  const mixed = await PDFDocument.create();
  const [first] = await mixed.copyPages(text, [0]);
  if (first !== undefined) mixed.addPage(first);
  for (const number of [2, 3]) {
    const picture = await mixed.embedPng(readFileSync(join(folder, `page-${number}.png`)));
    const page = mixed.addPage([595, 842]);
    if (number === 2) page.drawImage(picture, { width: 595, height: 842 });
    // Shown upright, but stored upside down, as of a sheet that lay the wrong way.
    else page.drawImage(picture, { x: 595, y: 842, width: 595, height: 842, rotate: degrees(180) });
  }
  return new Uint8Array(await mixed.save());
}

const reason = whyNotHere();
if (reason !== null) {
  console.log(`SKIPPED: ${reason}`);
  process.exit(0);
}
const folder = mkdtempSync(join(tmpdir(), 'pinyon-ocr-'));
const service = await startService({ env: { PINYON_OCR: 'eng' } });
try {
  await createAssistantWithFile(service, 'scans', { name: 'scan.pdf', text: await mixedFile(folder) });
  for (const [question, page, words] of [
    ['When did the harbor open?', 1, '1874'],
    ['How much oil does the lighthouse burn?', 2, 'eleven liters'],
    ['Which boats must wait for a pilot?', 3, 'thirty meters'],
  ] as const) {
    const body = { messages: [{ role: 'user', content: question }] };
    const { text } = await service.call('POST', '/assistant/chat/scans', { body });
    console.log(text.slice(0, 300));
    assert.match(text, new RegExp(words));
    assert.match(text, new RegExp(`"pages":\\[${page}\\]`));
  }
  console.log('Scanned pages are read, found and cited.');
} finally {
  await service.dispose();
  rmSync(folder, { recursive: true });
}
