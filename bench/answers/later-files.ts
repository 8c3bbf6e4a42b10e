// The files of the last set of questions: manuals, manual pages, lists of questions, news and tables of Debian packages.
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ANSWER_FILES, fetchPackages } from './files.ts';

export const LATER_ANSWER_FILES = `${ANSWER_FILES}-later`;

const DATA = 'lib/python3/dist-packages/vega_datasets/_data';
const KERNEL = 'share/doc/debian-kernel-handbook/kernel-handbook.html';
/** Below /usr, by package; a name where another one tells more. */
const PACKAGES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  apt: {
    'share/doc/apt/json-hooks-protocol.md.gz': '',
    'share/doc/apt/srv-records-support.md': '',
  },
  'apt-doc': {
    'share/doc/apt-doc/guide.de.html/ch3.html': 'apt-guide.de.html',
    'share/doc/apt-doc/offline.fr.html/ch2.html': 'apt-offline.fr.html',
  },
  'aptitude-doc-ja': {
    'share/doc/aptitude/html/ja/pr01s02.html': 'aptitude-pr01s02.ja.html',
    'share/doc/aptitude/html/ja/ch02s03s05.html': 'aptitude-ch02s03s05.ja.html',
  },
  bc: { 'share/doc/bc/bc.html': '' },
  chrony: { 'share/doc/chrony/NEWS.gz': 'chrony-NEWS.txt' },
  'debian-kernel-handbook': {
    [`${KERNEL}/ch-versions.html`]: 'kernel-versions.html',
    [`${KERNEL}/ch-common-tasks.html`]: 'kernel-tasks.html',
  },
  'debmake-doc': {
    'share/doc/debmake-doc/debmake-doc.ru.pdf': '',
    'share/doc/debmake-doc/debmake-doc.zh-cn.pdf': '',
  },
  'distro-info-data': { 'share/distro-info/debian.csv': '', 'share/distro-info/ubuntu.csv': '' },
  'dnsmasq-base': { 'share/doc/dnsmasq-base/FAQ.gz': 'dnsmasq-FAQ.txt' },
  'iso-codes': { 'share/iso-codes/json/iso_639-5.json': '', 'share/iso-codes/json/iso_3166-3.json': '' },
  jq: { 'share/man/man1/jq.1.gz': 'jq.1.txt' },
  ledger: { 'share/doc/ledger/ledger3.pdf': '' },
  'manpages-de': { 'share/man/de/man5/fstab.5.gz': 'fstab.5.de.txt' },
  'manpages-ja': { 'share/man/ja/man5/crontab.5.gz': 'crontab.5.ja.txt' },
  'manpages-ru': { 'share/man/ru/man5/nsswitch.conf.5.gz': 'nsswitch.conf.5.ru.txt' },
  'manpages-zh': { 'share/man/zh_CN/man1/at.1.gz': 'at.1.zh.txt' },
  privoxy: {
    'share/doc/privoxy/faq/general.html': 'privoxy-general.html',
    'share/doc/privoxy/faq/misc.html': 'privoxy-misc.html',
    'share/doc/privoxy/faq/trouble.html': 'privoxy-trouble.html',
  },
  'python3-vega-datasets': {
    [`${DATA}/burtin.json`]: '',
    [`${DATA}/cars.json`]: '',
    [`${DATA}/iowa-electricity.csv`]: '',
    [`${DATA}/wheat.json`]: '',
  },
  'xz-utils': { 'share/doc/xz-utils/faq.txt.gz': 'xz-faq.txt' },
  'zsh-doc': { 'share/doc/zsh-common/zsh.pdf': '' },
};
const PAGE_WIDTH = '100';

/** Fetches them unless they are there. Needs apt-get, dpkg-deb, man and col. */
export function fetchLaterFiles(): void {
  fetchPackages(LATER_ANSWER_FILES, Object.keys(PACKAGES), (unpacked, made) => {
    for (const [path, name] of Object.values(PACKAGES).flatMap((files) => Object.entries(files))) {
      const from = join(unpacked, 'usr', path);
      const to = join(made, name || basename(path, '.gz'));
      if (path.startsWith('share/man/')) writeFileSync(to, shownPage(from));
      else if (path.endsWith('.gz')) writeFileSync(to, gunzipSync(readFileSync(from)));
      else copyFileSync(from, to);
    }
  });
}

/** A manual page as `man` shows it. */
function shownPage(path: string): string {
  const env = { ...process.env, MANWIDTH: PAGE_WIDTH, LC_ALL: 'C.UTF-8' };
  const shown = spawnSync('sh', ['-c', 'man -l -Tutf8 "$0" | col -bx', path], { env, encoding: 'utf8' });
  if (shown.status !== 0 || shown.stdout === '') throw new Error(`man -l ${path}: ${shown.stderr}`);
  return shown.stdout;
}
