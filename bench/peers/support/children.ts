// Child processes that end with the benchmark, whatever happens to it.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';

/** After this a child that was asked to end is killed. */
const GRACE_MS = 15_000;

const running = new Set<ChildProcess>();
const others = new Set<number>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  for (const pid of others) process.kill(pid, 'SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

/** Remembers a child, to end it with this process. */
export function keepTrack<Child extends ChildProcess>(child: Child): Child {
  running.add(child);
  child.on('exit', () => running.delete(child));
  return child;
}

/** As `keepTrack`, for a process that other code started. @returns what to call once it has ended */
export function keepTrackOf(pid: number): () => void {
  others.add(pid);
  return () => others.delete(pid);
}

export function start(command: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  return keepTrack(spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options }));
}

/** Runs to the end. @throws when it fails or takes longer than `secondsMax` */
export async function run(
  command: string,
  args: readonly string[],
  options: SpawnOptions & { readonly secondsMax: number },
): Promise<void> {
  const child = start(command, args, { ...options, timeout: options.secondsMax * 1000 });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code ?? signal}`);
}

export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  await ended;
  clearTimeout(timer);
}

/** Waits until `isReady` says so. @throws when the child ends first or time is up */
export async function untilReady(
  child: ChildProcess,
  isReady: () => Promise<boolean>,
  secondsMax = 60,
): Promise<void> {
  const deadline = performance.now() + 1000 * secondsMax;
  while (!(await isReady().catch(() => false))) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended at its start`);
    if (performance.now() > deadline) throw new Error(`${child.spawnfile} did not get ready`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
