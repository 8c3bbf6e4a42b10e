// Unpacks the manual pages of a fixed list of Debian packages to a folder, for the bench's largest set.
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

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
}

const folder = resolve(process.argv[2] ?? MANUAL_PAGES);
const work = mkdtempSync(join(tmpdir(), 'pinyon-packages-'));
try {
  run('apt-get', ['download', ...PACKAGES], work);
  for (const file of globSync('*.deb', { cwd: work })) run('dpkg-deb', ['-x', file, 'unpacked'], work);
  const pages = join('usr', 'share', 'man');
  cpSync(join(work, 'unpacked', pages), join(folder, pages), { recursive: true, verbatimSymlinks: true });
} finally {
  rmSync(work, { recursive: true });
}
console.log(`manual pages are in ${folder}`);
