// Fetches what the bench's sets are made of to a folder: manual pages, FAQs and a policy.
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { MANUAL_PAGES } from './folders.ts';

/** Programs, system calls and formats; the set changes only when Debian's release does. */
const PACKAGES = [
  ...[
    'manpages',
    'manpages-dev',
    'coreutils',
    'util-linux',
    'git-man',
    'openssl',
    'procps',
    'systemd',
    'iproute2',
  ],
  ...[
    'bash',
    'curl',
    'findutils',
    'tar',
    'gzip',
    'bzip2',
    'xz-utils',
    'rsync',
    'openssh-client',
    'mount',
    'login',
  ],
  ...[
    'passwd',
    'apt',
    'dpkg',
    'dpkg-dev',
    'e2fsprogs',
    'man-db',
    'less',
    'grep',
    'sed',
    'gawk',
    'psmisc',
    'acl',
  ],
  ...[
    'attr',
    'cron',
    'kmod',
    'udev',
    'gnupg',
    'gpg',
    'groff-base',
    'perl',
    'gettext',
    'x11-utils',
    'imagemagick-6-common',
  ],
];

/** Packages of the held-out sets, and the folders that are taken of them. */
const QUESTION_PACKAGES = ['perl-doc', 'debian-faq', 'debian-policy'];
const QUESTION_FOLDERS = ['usr/share/perl', 'usr/share/doc/debian/FAQ', 'usr/share/doc/debian-policy'];
function run(command: string, args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
}

/** Unpacks packages, and copies some of their folders. */
function copyOf(packages: readonly string[], paths: readonly string[], { work, folder }: Folders): void {
  const unpacked = mkdtempSync(join(work, 'unpacked-'));
  run('apt-get', ['download', ...packages], unpacked);
  for (const file of globSync('*.deb', { cwd: unpacked })) run('dpkg-deb', ['-x', file, '.'], unpacked);
  for (const path of paths) {
    cpSync(join(unpacked, path), join(folder, path), { recursive: true, verbatimSymlinks: true });
  }
}

interface Folders {
  readonly work: string;
  readonly folder: string;
}

const folder = resolve(process.argv[2] ?? MANUAL_PAGES);
const work = mkdtempSync(join(tmpdir(), 'pinyon-packages-'));
try {
  copyOf(PACKAGES, ['usr/share/man'], { work, folder });
  copyOf(QUESTION_PACKAGES, QUESTION_FOLDERS, { work, folder });
} finally {
  rmSync(work, { recursive: true });
}
console.log(`manual pages and more are in ${folder}`);
