#!/usr/bin/env node
// The pinyon command: runs the program, under the Node release it is made for when this one is too old.
import { spawn } from 'node:child_process';
import * as modules from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(import.meta.url);
const PROGRAM = fileURLToPath(new URL('../src/boot/main.ts', import.meta.url));
/** From here on Node runs TypeScript by itself. */
const NODE_MAJOR_MIN = 22;
const NODE_MINOR_MIN = 18;
/** Set for the process that an older Node starts: it ends with its parent. */
const WRAPPED = 'PINYON_WRAPPED';

// Without a listener, Node opens a debugger on this signal, through which any local process may run code here.
process.on('SIGUSR1', () => undefined);

const isWrapped = process.env[WRAPPED] !== undefined;
delete process.env[WRAPPED];
if (isWrapped) endWithParent();

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isNewEnough = major > NODE_MAJOR_MIN || (major === NODE_MAJOR_MIN && minor >= NODE_MINOR_MIN);

if (isWrapped || (isNewEnough && process.features.typescript)) {
  // Compiled sources are kept beside the packages: every start but the first is a quarter faster.
  const cache = fileURLToPath(new URL('../node_modules/.cache/pinyon', import.meta.url));
  modules.enableCompileCache?.(cache);
  // Threads do not inherit it, but look for it in the environment: it halves what each takes to load.
  process.env.NODE_COMPILE_CACHE ??= cache;
  // Most commands are done long before the server would be loaded.
  const { runClient } = await import('../src/cli/main.ts');
  if (!(await runClient(process.argv.slice(2)))) await import(PROGRAM);
} else {
  runUnderPinnedNode();
}

/** The channel closes however the parent ends, also by SIGKILL, which the parent cannot pass on. */
function endWithParent() {
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  // The listener alone would keep a command from ending.
  process.channel?.unref();
}

function runUnderPinnedNode() {
  const folder = dirname(modules.createRequire(import.meta.url).resolve('node/package.json'));
  const binary = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  const child = spawn(binary, [COMMAND, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [WRAPPED]: '1' },
  });
  // The program knows by itself what to do with a second one.
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // A terminal has sent it to both already, and a second one means "at once".
  const isInTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  process.on('SIGINT', () => isInTerminal || child.kill('SIGINT'));
  child.once('error', (error) => {
    process.stderr.write(
      `Pinyon needs Node ${NODE_MAJOR_MIN}.${NODE_MINOR_MIN} or newer: ${error.message}\n`,
    );
    process.exit(1);
  });
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
