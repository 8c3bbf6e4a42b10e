// pgvector for the installed PostgreSQL: compiled from the source package of the next Debian, which has it.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const INSTALLED = '/usr/share/postgresql/*/extension/vector.control';
const CONFIG = '/usr/lib/postgresql/*/bin/pg_config';
const SUITE = 'trixie';

/** Compiles it where that is allowed: to root, and unless PINYON_POSTGRES_INSTALL is no. Null when it is there. */
export function whyNoPgvector(): string | null {
  if (globSync(INSTALLED).length > 0) return null;
  if (process.env.PINYON_POSTGRES_INSTALL === 'no' || process.getuid?.() !== 0)
    return 'pgvector is not installed (npm run test:postgres as root compiles it)';
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-pgvector-'));
  try {
    compile(folder);
  } catch (error) {
    return `pgvector could not be compiled: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return globSync(INSTALLED).length > 0 ? null : 'pgvector could not be installed';
}

/** With a list of packages of its own, so that nothing of the system's changes. */
function compile(folder: string): void {
  const server = spawnSync(
    'apt-get',
    ['install', '-y', '-q', '--no-install-recommends', 'postgresql-server-dev-all'],
    {
      stdio: 'inherit',
    },
  );
  const [config] = globSync(CONFIG);
  if (server.status !== 0 || config === undefined) throw new Error('no pg_config');
  for (const each of ['lists/partial', 'cache/archives/partial'])
    mkdirSync(join(folder, each), { recursive: true });
  writeFileSync(join(folder, 'status'), '');
  const mirrors = execFileSync('apt-get', ['indextargets', '--format', '$(REPO_URI)'], { encoding: 'utf8' });
  const mirror = mirrors.split('\n').find((each) => /\/debian\/?$/.test(each));
  if (mirror === undefined) throw new Error('no mirror of Debian');
  const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
  const signed = existsSync(keyring) ? `[signed-by=${keyring}] ` : '';
  writeFileSync(join(folder, 'sources.list'), `deb-src ${signed}${mirror} ${SUITE} main\n`);
  const options = Object.entries({
    'Dir::State': folder,
    'Dir::State::status': `${folder}/status`,
    'Dir::State::lists': `${folder}/lists`,
    'Dir::Cache': `${folder}/cache`,
    'Dir::Etc::sourcelist': `${folder}/sources.list`,
    'Dir::Etc::sourceparts': '/dev/null',
  }).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const run = (command: string, words: readonly string[], cwd = folder) =>
    execFileSync(command, words, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  run('apt-get', [...options, 'update', '-qq']);
  run('apt-get', [...options, 'source', '--download-only', 'pgvector']);
  const [archive = ''] = globSync(join(folder, 'pgvector_*.orig.tar.gz'));
  run('tar', ['xzf', archive]);
  const [source = ''] = globSync(join(folder, 'pgvector-*/'));
  const flags = [`PG_CONFIG=${config}`, 'OPTFLAGS=', 'with_llvm=no'];
  run('make', [...flags, '-j2'], source);
  run('make', [...flags, 'install'], source);
}
