// One parser process and its current job, with limits on time and memory.
import { type ChildProcess, fork } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Channel } from '../../platform/worker-channel/channel.ts';
import { ChannelEnded } from '../../platform/worker-channel/errors.ts';
import { childEndpoint } from '../../platform/worker-channel/process-endpoint.ts';
import { type DocumentRefusal, refusal } from '../refusal.ts';
import { TOO_LARGE_SIGNAL, TOO_SLOW_SIGNAL } from './process-bounds.ts';
import { PARSER_CODEC, type ParseJob, type ParseResult, type ParserMethods } from './protocol.ts';

const ENTRY = fileURLToPath(new URL('./parse-process.ts', import.meta.url));
const MEBIBYTE = 2 ** 20;
/** Lower than that of requests; the same as reader threads (docs/decisions/008-thread-priorities-and-failures.md). */
const PRIORITY = 10;
/** Share of the heap; without a limit it is collected late. The rest is for buffers and the program itself. */
const HEAP_SHARE = 0.6;
/** A process that retains more than this share of its memory after a job is replaced, lest the next file fail. */
const KEPT_SHARE_MAX = 0.5;
/** V8 aborts a process that runs out of heap. */
const OUT_OF_MEMORY_SIGNALS: readonly (string | null)[] = ['SIGABRT', TOO_LARGE_SIGNAL];
/** Wall time for one file, as a multiple of its CPU time: parsers wait while requests keep the cores busy. */
const REAL_TIME_FACTOR = 10;

export interface ProcessBounds {
  /** Memory of the whole process; at least 256. */
  readonly memoryMebibytesMax: number;
  /** CPU time for one file, over all threads of the process. Wall time is bounded by ten times as much. */
  readonly parseMsMax: number;
}

export class ParserProcess {
  readonly #child: ChildProcess;
  readonly #bounds: ProcessBounds;
  readonly #channel: Channel<ParserMethods>;
  readonly #exited: Promise<void>;
  #usable = true;
  #death: DocumentRefusal | undefined;

  constructor(bounds: ProcessBounds) {
    this.#bounds = bounds;
    this.#child = startProcess(bounds);
    this.#exited = new Promise((resolve) => {
      this.#child.once('error', () => resolve());
      this.#child.once('exit', (_, signal) => {
        this.#death = deathOf(signal, bounds);
        resolve();
      });
    });
    this.#channel = new Channel(childEndpoint(this.#child), {
      name: 'the parser process',
      codec: PARSER_CODEC,
      onPending: (jobs) => this.#keepServerRunning(jobs > 0),
      onEnd: () => {
        this.#usable = false;
      },
    });
    this.#keepServerRunning(false);
  }

  /** False once the process has died or was ended: the next job needs another one. */
  get usable(): boolean {
    return this.#usable;
  }

  /**
   * Runs one job. When the job is interrupted, the process is no longer usable.
   * @throws DocumentRefusal; the signal's reason; an Error when the file cannot be opened
   */
  async run(job: ParseJob, signal?: AbortSignal): Promise<ParseResult> {
    const { parseMsMax, memoryMebibytesMax } = this.#bounds;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(tooSlow(this.#bounds)), parseMsMax * REAL_TIME_FACTOR);
    const ending = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
    // A busy process can only be stopped by killing it.
    const end = (): void => void this.close();
    ending.addEventListener('abort', end, { once: true });
    try {
      return await this.#channel.call('parse', job, {
        signal: ending,
        onNote: (residentBytes) => {
          if (residentBytes > memoryMebibytesMax * MEBIBYTE * KEPT_SHARE_MAX) this.#usable = false;
        },
      });
    } catch (error) {
      throw error instanceof ChannelEnded ? (this.#death ?? error.cause) : error;
    } finally {
      clearTimeout(timer);
      ending.removeEventListener('abort', end);
    }
  }

  /** Kills the process, even in the middle of a job. */
  async close(): Promise<void> {
    this.#usable = false;
    this.#child.kill('SIGKILL');
    this.#child.ref();
    await this.#exited;
  }

  /** Lets the server exit while the parser is idle. */
  #keepServerRunning(busy: boolean): void {
    if (busy) this.#child.ref();
    else this.#child.unref();
    if (busy) this.#child.channel?.ref();
    else this.#child.channel?.unref();
  }
}

/**
 * Starts a process that may only read files: it can write none, start no programs, has no network and does not
 * inherit the server's environment. Its output is discarded, because it may contain parts of files.
 */
function startProcess({ memoryMebibytesMax, parseMsMax }: ProcessBounds): ChildProcess {
  const child = fork(ENTRY, [String(memoryMebibytesMax * MEBIBYTE), String(parseMsMax)], {
    execArgv: [
      '--permission',
      '--allow-fs-read=*',
      '--allow-worker',
      '--no-warnings',
      `--max-old-space-size=${Math.floor(memoryMebibytesMax * HEAP_SHARE)}`,
    ],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  });
  try {
    if (child.pid !== undefined) setPriority(child.pid, PRIORITY);
  } catch {
    // The process has already ended, or the system has no priorities.
  }
  return child;
}

function deathOf(signal: string | null, bounds: ProcessBounds): DocumentRefusal {
  if (signal === TOO_SLOW_SIGNAL) return tooSlow(bounds);
  if (!OUT_OF_MEMORY_SIGNALS.includes(signal)) return refusal('parser-died');
  const { memoryMebibytesMax } = bounds;
  return refusal('too-large', { detail: `reading it needs more than ${memoryMebibytesMax} MiB of memory` });
}

function tooSlow({ parseMsMax }: ProcessBounds): DocumentRefusal {
  return refusal('too-slow', { seconds: parseMsMax / 1000 });
}
