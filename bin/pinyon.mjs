#!/usr/bin/env node
// The pinyon command: runs the program, under the Node release it is made for when this one is too old.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as modules from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(import.meta.url);
const SOURCES = new URL('../src/', import.meta.url);
/** A clone runs its sources; the packed package has them bundled instead. */
const isClone = existsSync(SOURCES);
/** From here on Node has all that the program needs, TypeScript included, and prints no warnings about it. */
const NODE_MAJOR_MIN = 24;
const NODE_MINOR_MIN = 5;
/** Set for the process that an older Node starts: it ends with its parent. */
const WRAPPED = 'PINYON_WRAPPED';

// Without a listener, Node opens a debugger on this signal, through which any local process may run code here.
process.on('SIGUSR1', () => undefined);

const isWrapped = process.env[WRAPPED] !== undefined;
delete process.env[WRAPPED];
if (isWrapped) endWithParent();

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isNewEnough = major > NODE_MAJOR_MIN || (major === NODE_MAJOR_MIN && minor >= NODE_MINOR_MIN);
const canRun = isNewEnough && (!isClone || process.features.typescript);

if (pathOf('fastify') === null) {
  fail('The packages that Pinyon needs are not installed. Run `npm ci` first.');
} else if (isWrapped || canRun) {
  await runProgram();
} else {
  runUnderPinnedNode();
}

async function runProgram() {
  // Compiled sources are kept beside the packages: every start but the first is a quarter faster.
  const cache = fileURLToPath(new URL('../node_modules/.cache/pinyon', import.meta.url));
  modules.enableCompileCache?.(cache);
  // Threads do not inherit it, but look for it in the environment: it halves what each takes to load.
  process.env.NODE_COMPILE_CACHE ??= cache;
  const { resolveByAddress } = await import(programFile('platform/module-resolution'));
  resolveByAddress();
  // Most commands are done long before the server would be loaded.
  const { runClient } = await import(programFile('cli/main'));
  if (!(await runClient(process.argv.slice(2)))) await import(programFile('boot/main'));
}

function programFile(name) {
  return isClone ? `../src/${name}.ts` : `../dist/${name.replace('/', '-')}.js`;
}

/** Where a package is installed, or null. */
function pathOf(name) {
  try {
    return dirname(modules.createRequire(import.meta.url).resolve(`${name}/package.json`));
  } catch {
    return null;
  }
}

/** The channel closes however the parent ends, also by SIGKILL, which the parent cannot pass on. */
function endWithParent() {
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  // The listener alone would keep a command from ending.
  process.channel?.unref();
}

function runUnderPinnedNode() {
  const needed = `Pinyon needs Node ${NODE_MAJOR_MIN}.${NODE_MINOR_MIN} or newer, and this is ${process.versions.node}`;
  const binary = join(pathOf('node') ?? '', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  const child = spawn(binary, [COMMAND, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [WRAPPED]: '1' },
  });
  // The program knows by itself what to do with a second one.
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // A terminal has sent it to both already, and a second one means "at once".
  const isInTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  process.on('SIGINT', () => isInTerminal || child.kill('SIGINT'));
  child.once('error', ({ message }) => fail(`${needed}; the one in its packages cannot run: ${message}.`));
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function fail(reason) {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}
