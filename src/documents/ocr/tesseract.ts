// Reads the text of pictures with the Tesseract of the system: one bounded process a picture.
import { spawn, spawnSync } from 'node:child_process';
import { setPriority } from 'node:os';
import { BoundedSlots } from '../../platform/bounded-slots.ts';
import { joinDividedWords } from '../text/clean-text.ts';

export interface TesseractOptions {
  /** As Tesseract names them: `eng`, `deu+fra`. */
  readonly languages: string;
  /** Pictures read at the same time. */
  readonly processes: number;
  /** The program; found on the path. */
  readonly program?: string;
  readonly secondsMax?: number;
}

export interface ScanReader {
  /** Returns the text of a PNG picture; empty where there is none, or where reading it fails or takes too long. */
  read(png: Uint8Array, signal: AbortSignal): Promise<string>;
}

const PROGRAM = 'tesseract';
/** For one picture; a page of small print takes some ten seconds of a slow core. */
export const OCR_SECONDS_MAX = 120;
/** Of address space for one process. */
export const OCR_MEBIBYTES_MAX = 1_024;
const TEXT_BYTES_MAX = 2 * 2 ** 20;
/** As parser processes. */
const PRIORITY = 10;
const WAITING_MAX = 10_000;
/** Finds out how the page was turned when it was scanned. */
const UPRIGHT = ['--psm', '1'];
/** Paragraphs are apart by blank lines; lines of one are joined. */
const PARAGRAPH_END = /\n\s*\n/;

/** Says why scans cannot be read; null if they can. */
export function tesseractProblem({ languages, program = PROGRAM }: TesseractOptions): string | null {
  const { error, stdout, stderr } = spawnSync(program, ['--list-langs'], {
    encoding: 'utf8',
    timeout: 10_000,
  });
  if (error !== undefined) return `${program} cannot be run. Debian: apt-get install tesseract-ocr`;
  const known = new Set(`${stdout}\n${stderr}`.split(/\s+/));
  const missing = languages.split('+').filter((language) => !known.has(language));
  return missing.length === 0
    ? null
    : `${program} has no data for ${missing.join(', ')}. Debian: apt-get install tesseract-ocr-${missing[0]}`;
}

export function openTesseract(options: TesseractOptions): ScanReader {
  const slots = new BoundedSlots({ slots: options.processes, waitingMax: WAITING_MAX });
  return {
    read: (png, signal) =>
      slots.run(async () => {
        signal.throwIfAborted();
        return paragraphs(await run(png, options, signal));
      }),
  };
}

/** Limits the memory of the program by the shell, since Node starts programs without limits. */
function run(
  png: Uint8Array,
  { languages, program = PROGRAM, secondsMax = OCR_SECONDS_MAX }: TesseractOptions,
  signal: AbortSignal,
): Promise<string> {
  const { PATH = '', TESSDATA_PREFIX } = process.env;
  const limited = `ulimit -v ${OCR_MEBIBYTES_MAX * 1_024}; exec "$@"`;
  const words = [program, 'stdin', 'stdout', '-l', languages, ...UPRIGHT];
  const child = spawn('/bin/sh', ['-c', limited, 'sh', ...words], {
    env: { PATH, OMP_THREAD_LIMIT: '1', ...(TESSDATA_PREFIX !== undefined && { TESSDATA_PREFIX }) },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  try {
    if (child.pid !== undefined) setPriority(child.pid, PRIORITY);
  } catch {
    // The process has already ended, or the system has no priorities.
  }
  const end = (): void => void child.kill('SIGKILL');
  const timer = setTimeout(end, secondsMax * 1_000);
  signal.addEventListener('abort', end, { once: true });
  const pieces: Buffer[] = [];
  let bytes = 0;
  child.stdout.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > TEXT_BYTES_MAX) end();
    else pieces.push(piece);
  });
  // A program that ends early does not read its input.
  child.stdin.on('error', () => {});
  child.stdin.end(png);
  return new Promise((resolve, reject) => {
    const finish = (isRead: boolean): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      if (signal.aborted) reject(signal.reason);
      else resolve(isRead ? Buffer.concat(pieces).toString('utf8') : '');
    };
    child.once('error', () => finish(false));
    child.once('close', (code) => finish(code === 0));
  });
}

/** Joins the lines of each paragraph. */
function paragraphs(text: string): string {
  return text
    .replaceAll('\f', '\n\n')
    .split(PARAGRAPH_END)
    .map((part) => joinDividedWords(part.trim()).replace(/\s*\n\s*/g, ' '))
    .filter((part) => part !== '')
    .join('\n\n');
}
