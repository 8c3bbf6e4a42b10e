// Guarantees of deploy/install.sh, with stubs in place of npm and of the commands that need root.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
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

/** Stands for a server that runs from this installation: a process of a program in it. */
function serve(context: TestContext, root: string): void {
  const program = join(root, 'node_modules', 'node', 'bin', 'server');
  cpSync('/bin/sleep', program, { dereference: true });
  const server = spawn(program, ['3600']);
  context.after(() => server.kill());
}

test('leaves the files of running servers where they are, and removes others that were replaced', (context) => {
  const { install, prefix, command } = machine(context);
  const rootOf = () => dirname(dirname(realpathSync(command)));
  assert.equal(install('0.1.0'), 0);
  const running = rootOf();
  serve(context, running);
  const replaced: string[] = [];
  for (const version of ['0.1.1', '0.1.2', '0.1.3']) {
    assert.equal(install(version), 0);
    assert.equal(versionOf(command), version);
    assert.ok(existsSync(join(running, 'README.md')), `after ${version}`);
    for (const each of replaced.slice(0, -1)) assert.ok(!existsSync(each), `after ${version}`);
    replaced.push(rootOf());
  }
  assert.deepEqual(readdirSync(prefix).sort(), ['README.md', 'bin', 'current', 'releases']);
});

test('takes over an installation of version 0.1.0, which had no releases, and whose server runs', (context) => {
  const { install, prefix, command } = machine(context);
  for (const folder of ['bin', 'node_modules/node/bin']) mkdirSync(join(prefix, folder), { recursive: true });
  for (const name of ['bin/pinyon', 'README.md']) writeFileSync(join(prefix, name), 'former');
  serve(context, prefix);
  for (const version of ['0.2.0', '0.2.1']) {
    assert.equal(install(version), 0);
    assert.equal(versionOf(command), version);
    assert.ok(existsSync(join(prefix, 'node_modules')));
  }
});
