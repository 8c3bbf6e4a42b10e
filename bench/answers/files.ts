// The files of the bench: documents of Debian packages, fetched once into a folder that is not committed.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readManualPage } from '../retrieval/manual-pages.ts';

/** PINYON_ANSWER_FILES names another folder, which gets a second one beside it. */
export const ANSWER_FILES = process.env.PINYON_ANSWER_FILES ?? join(tmpdir(), 'pinyon-answer-files');
/** Of the last set of questions. */
export const OTHER_ANSWER_FILES = `${ANSWER_FILES}-other`;

/** Paths of files by package. */
type Packages = Readonly<Record<string, readonly string[]>>;

/** Packages, and the files that are taken from each. */
const PACKAGES: Packages = {
  'bash-doc': ['doc/bash/bashref.pdf'],
  cvs: ['doc/cvs/cvs.pdf'],
  'debian-faq': ['doc/debian/FAQ/debian-faq.en.pdf.gz'],
  'debian-history': ['en', 'ko', 'ru'].map(
    (tongue) => `doc/debian-history/docs/project-history.${tongue}.pdf`,
  ),
  'debian-policy': ['doc/debian-policy/policy.pdf.gz', 'doc/debian-policy/fhs/fhs-3.0.pdf.gz'],
  'debian-reference-ja': ['debian-reference/debian-reference.ja.pdf'],
  'debian-reference-zh-cn': ['debian-reference/debian-reference.zh-cn.pdf'],
  'developers-reference': ['developers-reference/developers-reference.pdf'],
  'graphviz-doc': ['doc/graphviz/pdf/dotguide.pdf.gz', 'doc/graphviz/pdf/neatoguide.pdf.gz'],
  'iso-codes': [
    'iso-codes/json/iso_3166-1.json',
    'iso-codes/json/iso_4217.json',
    'iso-codes/json/iso_15924.json',
  ],
  'maint-guide': ['doc/maint-guide/maint-guide.en.pdf'],
  manpages: ['man/man7/suffixes.7.gz', 'man/man7/capabilities.7.gz', 'man/man7/signal.7.gz'],
  miscfiles: ['doc/miscfiles/airport.gz'],
  'pari-doc': ['pari/doc/tutorial.pdf'],
  units: ['units/definitions.units'],
};
const OTHER_PACKAGES: Packages = {
  'gnuplot-doc': ['doc/gnuplot/gnuplot.pdf'],
  nano: ['doc/nano/faq.html'],
  'sqlite3-doc': ['doc/sqlite3/faq.html', 'doc/sqlite3/limits.html', 'doc/sqlite3/wal.html'],
  zstd: ['doc/zstd/README.md.gz', 'doc/zstd/TESTING.md'],
};
/** Names of which several files have the same. */
const NAMED_BY_FOLDER = /^(?:faq|limits|wal)\.html$|^(?:README|TESTING)\.md$/;

/** Fetches the files of both sets into their folders unless they are there. Needs apt-get and dpkg-deb. */
export function fetchFiles(): void {
  fetchInto(ANSWER_FILES, PACKAGES);
  fetchInto(OTHER_ANSWER_FILES, OTHER_PACKAGES);
}

function fetchInto(folder: string, packages: Packages): void {
  fetchPackages(folder, Object.keys(packages), (unpacked, made) => {
    for (const path of Object.values(packages).flat()) take(join(unpacked, 'usr/share', path), made);
  });
}

/**
 * Makes a folder of what packages hold, unless it is there. Needs apt-get and dpkg-deb.
 * @param fill writes files to `made` from the packages, which are unpacked into one folder
 */
export function fetchPackages(
  folder: string,
  packages: readonly string[],
  fill: (unpacked: string, made: string) => void,
): void {
  if (existsSync(folder)) return;
  const work = mkdtempSync(join(tmpdir(), 'pinyon-packages-'));
  const made = join(work, 'files');
  mkdirSync(made);
  try {
    run('apt-get', ['download', ...packages], work);
    run('sh', ['-c', 'for file in *.deb; do dpkg-deb -x "$file" unpacked || exit 1; done'], work);
    fill(join(work, 'unpacked'), made);
    renameSync(made, folder);
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** Copies a file in a form that assistants take: unpacked, manual pages as text, tables as CSV. */
function take(path: string, folder: string): void {
  const name = basename(path, '.gz');
  const bytes = path.endsWith('.gz') ? gunzipSync(readFileSync(path)) : readFileSync(path);
  if (path.includes('/man/')) {
    const page = readManualPage(readFileSync(path));
    writeFileSync(join(folder, `${name}.txt`), `${name}\n\n${page?.summary ?? ''}\n\n${page?.body ?? ''}\n`);
  } else if (name === 'airport')
    writeFileSync(join(folder, 'airports.csv'), airportTable(bytes.toString('utf8')));
  else if (name.endsWith('.units')) copyFileSync(path, join(folder, 'units.txt'));
  else writeFileSync(join(folder, nameOf(path, name)), bytes);
}

function nameOf(path: string, name: string): string {
  if (name === 'tutorial.pdf') return 'pari-tutorial.pdf';
  const folder = basename(dirname(path)).replace(/\d+$/, '');
  return NAMED_BY_FOLDER.test(name) ? `${folder}-${name}` : name;
}

/** The table separates its columns by colons, and its first line is a comment with their names. */
function airportTable(text: string): string {
  const rows = text.split('\n').filter((line) => line.includes(':'));
  const quoted = (cell: string) => `"${cell.replace(/^# /, '').replaceAll('"', '""')}"`;
  return rows.map((row) => row.split(':').map(quoted).join(',')).join('\n');
}

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
}
