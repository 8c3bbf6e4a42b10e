// pinyon assistant upload: uploads files and folders, several at a time, and waits until questions find them.
import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { typeOfName } from '../../../documents/detect-type.ts';
import { forEachAtOnce } from '../../../domain/for-each-at-once.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { ApiClient } from '../../client/api-client.ts';
import { formContent } from '../../client/file-content.ts';
import { CliProblem, EXIT_DONE, EXIT_FAILED, type Io, type ParsedWords } from '../../command.ts';
import { jsonOption, wholeNumber } from '../../line/parse-words.ts';
import { problemOf } from '../../line/problem-of.ts';
import { print } from '../../terminal/print.ts';
import { Progress } from '../../terminal/progress.ts';
import { counted } from '../../terminal/watch.ts';
import { VERSION } from './manage.ts';

const AT_ONCE_PRESET = 4;
const LOOK_MS = 500;

interface LocalFile {
  readonly path: string;
  /** As the assistant shows it: within a folder, with the folders below it. */
  readonly name: string;
  readonly size: number;
}

interface Outcome {
  readonly name: string;
  readonly id: unknown;
  /** Null when the file answers questions. */
  readonly error: string | null;
}

export async function upload(words: ParsedWords, io: Io): Promise<number> {
  const [assistant = '', ...paths] = words.positionals;
  const client = await ApiClient.of(words, io);
  const metadata = jsonOption(words, 'metadata');
  const files = (await Promise.all(paths.map((path) => filesBelow(path, io)))).flat();
  if (files.length === 0) throw new CliProblem(`There are no files to upload in ${paths.join(', ')}.`);
  const progress = new Progress(io, 'Upload');
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const outcomes: Outcome[] = [];
  let bytes = 0;
  const isAwaited = !words.flag('no-wait');
  try {
    await forEachAtOnce(files, wholeNumber(words, 'at-once', AT_ONCE_PRESET), async (file) => {
      outcomes.push(await uploadOne(client, { assistant, file, metadata, isAwaited }, io));
      bytes += file.size;
      progress.share(bytes / Math.max(1, total));
      progress.count(outcomes.length, 'file');
    });
  } finally {
    progress.end();
  }
  return told(outcomes, assistant, words, io);
}

function told(outcomes: readonly Outcome[], assistant: string, words: ParsedWords, io: Io): number {
  const failed = outcomes.filter(({ error }) => error !== null);
  for (const { name, error } of failed) io.err(`${name}: ${error}\n`);
  const state = words.flag('no-wait') ? 'has taken' : 'knows';
  const text = `Assistant ${assistant} ${state} ${counted(outcomes.length - failed.length, 'file')}; ${failed.length} failed.`;
  print(words, io, { json: { assistant, files: outcomes }, text });
  return failed.length === 0 ? EXIT_DONE : EXIT_FAILED;
}

/** A file itself, or the readable files below a folder. */
async function filesBelow(path: string, io: Io): Promise<readonly LocalFile[]> {
  const given = await stat(path);
  if (!given.isDirectory()) return [{ path, name: basename(path), size: given.size }];
  const found = await readdir(path, { recursive: true, withFileTypes: true });
  const all = found
    .filter((each) => each.isFile() || each.isSymbolicLink())
    .map((each) => join(each.parentPath, each.name))
    .filter((each) => !isHidden(relative(path, each)));
  const known = all.filter((each) => typeOfName(each) !== undefined).sort();
  if (known.length < all.length)
    io.err(`${counted(all.length - known.length, 'file')} of other types left out.\n`);
  return Promise.all(
    known.map(async (each) => {
      // One that is gone, or a link to nowhere, fails by itself when it is read.
      const { size } = await stat(each).catch(() => ({ size: 0 }));
      return { path: each, name: relative(path, each), size };
    }),
  );
}

/** Whether the file or a folder on the way to it is hidden. @param below the path from the folder that was given */
function isHidden(below: string): boolean {
  return below.split(sep).some((segment) => segment.startsWith('.'));
}

interface Upload {
  readonly assistant: string;
  readonly file: LocalFile;
  readonly metadata: unknown;
  readonly isAwaited: boolean;
}

async function uploadOne(
  client: ApiClient,
  { assistant, file, metadata, isAwaited }: Upload,
  io: Io,
): Promise<Outcome> {
  const { name, path } = file;
  const fields = metadata === undefined ? {} : { metadata: JSON.stringify(metadata) };
  const encoded = encodeURIComponent(assistant);
  try {
    const content = await formContent({ path, name }, fields);
    let operation = await client.call('POST', `/assistant/files/${encoded}`, {
      content,
      version: VERSION,
      isOnce: true,
    });
    const look = `/assistant/operations/${encoded}/${operation.id}`;
    while (isAwaited && operation.status === 'Processing') {
      await pause(LOOK_MS, undefined, { signal: io.signal });
      operation = await client.call('GET', look, { version: VERSION });
    }
    return { name, id: operation.file_id, error: errorOf(operation) };
  } catch (error) {
    // One file that is refused or cannot be read must not keep the others out.
    const problem = problemOf(error);
    if (problem?.exitCode !== EXIT_FAILED) throw error;
    return { name, id: null, error: problem.message };
  }
}

function errorOf({ status, error_message: message }: JsonObject): string | null {
  return status === 'Failed' ? String(message ?? 'it could not be read') : null;
}
