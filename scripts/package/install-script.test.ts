// Guarantees of deploy/install.sh, with stubs in place of npm and of the commands that need root.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../deploy/install.sh', import.meta.url));
const OTHERS_READ = 0o004;
const OTHERS_ENTER = 0o005;

/** The installed program tells the text of the package, and fails where that is `broken`. */
const STUBS = {
  id: 'echo 0',
  getent: 'true',
  runuser: 'shift 3; exec "$@"',
  npm: `
    for PACKAGE; do :; done
    mkdir -p "$3/node_modules/node/bin" "$3/node_modules/pinyon/bin"
    cp "$PACKAGE" "$3/node_modules/pinyon/bin/pinyon.mjs"
    echo readme > "$3/node_modules/pinyon/README.md"
    printf '#!/bin/sh\\n[ "$(cat "$1")" != broken ] && cat "$1"\\n' > "$3/node_modules/node/bin/node"
    chmod +x "$3/node_modules/node/bin/node"`,
};

function machine(context: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-install-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const [stubs, units] = [join(folder, 'stubs'), join(folder, 'units')];
  for (const each of [stubs, units]) mkdirSync(each);
  for (const [name, text] of Object.entries(STUBS))
    writeFileSync(join(stubs, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const prefix = join(folder, 'opt', 'pinyon');
  return {
    prefix,
    command: join(folder, 'bin', 'pinyon'),
    /** @returns the exit code */
    install: (version: string, umask = '022') => {
      const tarball = join(folder, 'pinyon.tgz');
      writeFileSync(tarball, version);
      const env = {
        ...{ PATH: `${stubs}:${process.env.PATH}`, PREFIX: prefix, UNITS: units },
        ...{ CONFIG: join(folder, 'etc'), BIN: join(folder, 'bin') },
      };
      return spawnSync('sh', ['-c', `umask ${umask}; exec sh "$0" "$1"`, SCRIPT, tarball], { env }).status;
    },
  };
}

const versionOf = (command: string) => spawnSync(command, ['--version'], { encoding: 'utf8' }).stdout;

test('installs what every user can run, whatever the umask is', (context) => {
  const { install, prefix, command } = machine(context);
  assert.equal(install('0.1.0', '077'), 0);
  assert.equal(versionOf(command), '0.1.0');
  const paths = [
    prefix,
    ...readdirSync(prefix, { recursive: true }).map((name) => join(prefix, String(name))),
  ];
  for (const path of paths) {
    const stats = lstatSync(path);
    const needed = stats.isDirectory() ? OTHERS_ENTER : OTHERS_READ;
    assert.equal(stats.mode & needed, needed, path);
  }
});

test('keeps the former installation where the new one does not run', (context) => {
  const { install, prefix, command } = machine(context);
  assert.equal(install('0.1.0'), 0);
  assert.notEqual(install('broken'), 0);
  assert.equal(versionOf(command), '0.1.0');
  assert.ok(existsSync(join(prefix, 'README.md')));
});
