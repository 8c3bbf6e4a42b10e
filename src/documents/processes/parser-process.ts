// One parser process and the job it is at, held to bounds of time and memory.
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
/** Requests go first: the same as reader threads have (docs/decisions/008-thread-priorities-and-failures.md). */
const PRIORITY = 10;
/** The heap is collected late unless it has a limit; the rest is for buffers and the program itself. */
const HEAP_SHARE = 0.6;
/** A process that kept more than this of its memory after a job is replaced before it fails an innocent file. */
const KEPT_SHARE_MAX = 0.5;
/** Running out of heap aborts the process. */
const OUT_OF_MEMORY_SIGNALS: readonly (string | null)[] = ['SIGABRT', TOO_LARGE_SIGNAL];
/** Of real time for one file, in its time to compute: where the cores are busy with requests, parsers wait. */
const REAL_TIME_FACTOR = 10;

export interface ProcessBounds {
  /** Of the whole process, at least 256. */
  readonly memoryMebibytesMax: number;
  /** Of computing for one file, over all threads of the process; a file that only waits gets ten times as long. */
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

  /** False after the process has died or been ended: the next job needs another. */
  get usable(): boolean {
    return this.#usable;
  }

  /**
   * @throws DocumentRefusal; the signal's reason; an Error when the file cannot be opened.
   *   After what ended it in the middle of the job the process is not usable.
   */
  async run(job: ParseJob, signal?: AbortSignal): Promise<ParseResult> {
    const { parseMsMax, memoryMebibytesMax } = this.#bounds;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(tooSlow(this.#bounds)), parseMsMax * REAL_TIME_FACTOR);
    const ending = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
    // Only its end stops a process in the middle of whatever it does.
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

  /** Ends the process in the middle of whatever it does. */
  async close(): Promise<void> {
    this.#usable = false;
    this.#child.kill('SIGKILL');
    this.#child.ref();
    await this.#exited;
  }

  /** An idle parser does not keep the server from ending. */
  #keepServerRunning(busy: boolean): void {
    if (busy) this.#child.ref();
    else this.#child.unref();
    if (busy) this.#child.channel?.ref();
    else this.#child.channel?.unref();
  }
}

/**
 * Reads files and nothing else: it writes none, starts no programs, has no network and none of the server's
 * environment. Its output is dropped, for it may hold parts of files.
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
    // It has ended already, or the system has no priorities.
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
