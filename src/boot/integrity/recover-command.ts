// pinyon recover: fills an empty data directory from the recovery log of a lost one.
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { LogDamaged, numberOf } from '../../app/recovery/log-format.ts';
import {
  momentBefore,
  offering,
  planRecovery,
  type RecoveryPlan,
  reachedMoments,
  timeOf,
  Unrecoverable,
} from '../../app/recovery/plan-recovery.ts';
import {
  type ListedTimeline,
  listTimelines,
  readTimeline,
  type TimelineContent,
} from '../../app/recovery/read-timelines.ts';
import { recoverCatalog } from '../../app/recovery/recover-catalog.ts';
import {
  type RecoveredStorage,
  recoverInstallation,
  storagesToRecover,
} from '../../app/recovery/recover-installation.ts';
import type { Blobs } from '../../blobs/port.ts';
import { openCatalog } from '../../catalog/sqlite/open-catalog.ts';
import { CliProblem, EXIT_DONE, type Io, misuse, type ParsedWords } from '../../cli/command.ts';
import { recoverIndex } from '../../cli/commands/recover-index.ts';
import { print } from '../../cli/terminal/print.ts';
import { Progress } from '../../cli/terminal/progress.ts';
import { counted } from '../../cli/terminal/watch.ts';
import { momentOf } from '../../domain/recovery/moment.ts';
import { createLogger } from '../../http/logger.ts';
import { replaceFile, syncFolder } from '../../platform/durable-files.ts';
import { assertOwner } from '../assert-owner.ts';
import type { BootParts } from '../boot.ts';
import {
  CATALOG_FILE,
  hasRecovered,
  INDEXES_FOLDER,
  prepareDataDir,
  RECOVERING_FOLDER,
  removeRecovering,
} from '../data-dir.ts';
import { openConfiguredBlobs } from '../open-configured-blobs.ts';
import { readSettings } from '../read-settings.ts';
import type { Settings } from '../settings.ts';
import {
  clearRecovering,
  ended,
  lockRecovering,
  readTask,
  type Task,
  writeTask,
} from './recovering-folder.ts';

type OpenEngineOf = BootParts['openEngine'];

export async function recover(words: ParsedWords, io: Io, openEngine: OpenEngineOf): Promise<number> {
  if (words.text('index') !== undefined) return recoverIndex(words, io);
  if (words.text('at') !== undefined || words.text('as') !== undefined || words.flag('no-wait'))
    throw misuse('--at, --as and --no-wait need --index. For everything, give the moment as --to.');
  const settings = readSettings(io.environment);
  if (settings.engine === 'postgres' || settings.databaseUrl !== null)
    throw new CliProblem(
      'Data on PostgreSQL is recovered by the point-in-time recovery of the database. Unset PINYON_DATABASE_URL to recover a data directory.',
    );
  if (settings.blobs === null)
    throw new CliProblem('Set PINYON_BLOBS to the storage that the lost server shipped to.');
  const to = requestedMoment(words.text('to'));
  const blobs = await openConfiguredBlobs(settings);
  try {
    const timelines = await listTimelines(blobs);
    if (words.flag('dry-run')) return await list(words, io, { blobs, timelines, to });
    assertOwner(settings.dataDir);
    const timeline = chosen(timelines, words.text('timeline'));
    const content = await readTimeline(blobs, timeline.id);
    try {
      return await run(words, io, { blobs, content, to, settings, openEngine });
    } catch (error) {
      const earlier =
        words.text('timeline') === undefined ? await earlierThan(blobs, timelines, timeline) : null;
      if (!(error instanceof Unrecoverable) || earlier === null) throw error;
      throw new Unrecoverable(`${error.message} ${earlier}`, { cause: error });
    }
  } catch (error) {
    throw error instanceof Unrecoverable || error instanceof LogDamaged
      ? new CliProblem(error.message, undefined, error)
      : error;
  } finally {
    await blobs.close();
  }
}

function requestedMoment(text: string | undefined): number | null {
  if (text === undefined) return null;
  const moment = momentOf(text);
  if (moment === null) throw misuse('--to expects a time such as 2026-11-24T17:03:20Z.');
  return moment;
}

function chosen(timelines: readonly ListedTimeline[], id: string | undefined): ListedTimeline {
  const wanted = id === undefined ? timelines : timelines.filter((each) => each.id === id);
  const last = wanted.at(-1);
  if (last === undefined)
    throw new CliProblem(
      id === undefined ? 'PINYON_BLOBS has no recovery log.' : `PINYON_BLOBS has no timeline ${id}.`,
    );
  if (new Set(wanted.map(({ installation }) => installation)).size > 1)
    throw new CliProblem(
      'PINYON_BLOBS has the recovery logs of several installations. Choose a timeline: pinyon recover --dry-run.',
    );
  return last;
}

/** What the last timeline before reaches that reaches anything, for one that does not suffice yet; null without one. */
async function earlierThan(
  blobs: Blobs,
  timelines: readonly ListedTimeline[],
  { id }: ListedTimeline,
): Promise<string | null> {
  for (const before of timelines.filter((each) => each.id < id).toReversed()) {
    const moments = await reachedMoments(blobs, await readTimeline(blobs, before.id));
    if (moments === null) continue;
    return `The timeline before reaches from ${timeOf(moments.from)} to ${timeOf(moments.to)}: --timeline ${before.id}.`;
  }
  return null;
}

async function list(
  words: ParsedWords,
  io: Io,
  {
    blobs,
    timelines,
    to,
  }: { readonly blobs: Blobs; readonly timelines: readonly ListedTimeline[]; readonly to: number | null },
): Promise<number> {
  const id = words.text('timeline');
  const found = [];
  for (const timeline of timelines) {
    if (id !== undefined && timeline.id !== id) continue;
    const content = await readTimeline(blobs, timeline.id);
    const moments = await reachedMoments(blobs, content);
    found.push({
      timeline: timeline.id,
      installation: timeline.installation,
      began_at: timeOf(timeline.at),
      from: moments === null ? null : timeOf(moments.from),
      to: moments === null ? null : timeOf(moments.to),
      objects: content.numbers.length,
      copies: content.bases.length,
      damaged_copies: content.damagedBases,
      damaged_timeline: timeline.damage,
      problem: await problemOf(blobs, content, to),
    });
  }
  const text = found.map(({ timeline, began_at: began, from, to: end, objects, problem, ...rest }) =>
    [
      `timeline ${timeline}, since ${began}: ${from === null ? 'nothing to recover' : `${from} to ${end}`}`,
      `  ${counted(objects, 'object')}, copies of indexes: ${rest.copies}`,
      ...(rest.damaged_timeline === null ? [] : [`  DAMAGED, and not needed: ${rest.damaged_timeline}`]),
      ...rest.damaged_copies.map((each) => `  DAMAGED: ${each}`),
      ...(problem === null ? [] : [`  ${problem}`]),
    ].join('\n'),
  );
  print(words, io, {
    json: { timelines: found },
    text: text.join('\n') || 'PINYON_BLOBS has no recovery log.',
  });
  return EXIT_DONE;
}

/** Why the moment cannot be recovered; null where it can, as far as headers tell. */
async function problemOf(blobs: Blobs, content: TimelineContent, to: number | null): Promise<string | null> {
  try {
    await planRecovery(blobs, content, to);
    return null;
  } catch (error) {
    if (error instanceof Unrecoverable) return error.message;
    throw error;
  }
}

interface RunParts {
  readonly blobs: Blobs;
  readonly content: TimelineContent;
  readonly to: number | null;
  readonly settings: Settings;
  readonly openEngine: OpenEngineOf;
}

async function run(words: ParsedWords, io: Io, parts: RunParts): Promise<number> {
  const { blobs, to, settings } = parts;
  const { dataDir } = settings;
  const known = readTask(dataDir);
  const without = words.texts('without').toSorted();
  const isSame =
    known !== null &&
    known.timeline === parts.content.id &&
    known.to === to &&
    isDeepStrictEqual(known.without ?? [], without);
  const content = isSame ? asOf(parts.content, known) : parts.content;
  if (hasRecovered(dataDir) && !isSame) throw ended(dataDir);
  if (known !== null && hasRecovered(dataDir)) {
    removeRecovering(dataDir);
    tell(words, io, known, known.storages.length);
    return EXIT_DONE;
  }
  const plan = await planRecovery(blobs, content, to);
  await prepareDataDir(dataDir);
  const lock = lockRecovering(dataDir, known);
  try {
    // What an unfinished recovery to another moment made is of no use.
    if (!isSame) clearRecovering(dataDir);
    return await carryOut(words, io, {
      ...parts,
      content,
      plan,
      without,
      storages: isSame ? known.storages : null,
    });
  } finally {
    lock.release();
  }
}

interface CarryOutParts extends RunParts {
  readonly plan: RecoveryPlan;
  readonly without: readonly string[];
  /** Those of an earlier run that this one goes on with; null for a recovery that begins. */
  readonly storages: readonly RecoveredStorage[] | null;
}

async function carryOut(words: ParsedWords, io: Io, parts: CarryOutParts): Promise<number> {
  const { blobs, content, to, settings, plan, without } = parts;
  const { dataDir } = settings;
  const path = join(dataDir, RECOVERING_FOLDER, CATALOG_FILE);
  const progress = new Progress(io, 'Recover');
  let indexes = 0;
  try {
    if (!existsSync(path)) replaceFile(path, await recoverCatalog(blobs, plan));
    const catalog = await openCatalog({ path });
    try {
      const storages = parts.storages ?? (await storagesToRecover(catalog, plan, without));
      indexes = storages.length;
      const task: Task = {
        timeline: plan.timeline,
        to,
        told: plan.told,
        last: plan.last,
        bases: basesOf(plan),
        storages,
        without,
      };
      writeTask(dataDir, task);
      const { engine } = await parts.openEngine(
        { ...settings, historyHours: 0, scrubMebibytes: 0 },
        createLogger({ ...settings, logLevel: 'warn' }),
      );
      try {
        const { logs } = engine;
        if (logs === null) throw new CliProblem('This engine cannot carry out a recovery log.');
        await recoverInstallation(
          {
            ...{ blobs, catalog, signal: io.signal },
            engine: {
              logs,
              createIndex: (profile) => engine.createIndex(profile),
              copies: (profile) => engine.copies(profile),
            },
            isMade: (id) => existsSync(join(dataDir, INDEXES_FOLDER, id)),
            onShare: (share) => progress.show(100 * share, `${storages.length} indexes`),
          },
          plan,
          storages,
        );
      } finally {
        await engine.close();
      }
      await catalog.settings.set(
        'recovered',
        JSON.stringify({ timeline: plan.timeline, to: timeOf(plan.told) }),
      );
    } finally {
      await catalog.close();
    }
    finish(dataDir);
    tell(words, io, plan, indexes);
    return EXIT_DONE;
  } catch (error) {
    if (!(error instanceof LogDamaged)) throw error;
    const number = numberOf(error.key);
    throw offering(error, Number.isNaN(number) ? null : await momentBefore(blobs, content, number));
  } finally {
    progress.end();
  }
}

/** The catalog makes the directory one that a server starts with. */
function finish(dataDir: string): void {
  renameSync(join(dataDir, RECOVERING_FOLDER, CATALOG_FILE), join(dataDir, CATALOG_FILE));
  syncFolder(dataDir);
  removeRecovering(dataDir);
}

/** What a timeline had when the recovery began: its indexes go on from the copies that they were made of. */
function asOf(content: TimelineContent, { last, bases }: Task): TimelineContent {
  return {
    ...content,
    numbers: content.numbers.filter((number) => number <= last),
    bases: content.bases.filter(({ id }) => bases.includes(id)),
  };
}

function basesOf({ storages }: RecoveryPlan): readonly string[] {
  return [...storages.values()].map(({ base }) => base.id);
}

function tell(
  words: ParsedWords,
  io: Io,
  { timeline, told }: Pick<Task, 'timeline' | 'told'>,
  indexes: number,
): void {
  print(words, io, {
    json: { recovered: true, timeline, to: timeOf(told), indexes },
    text: `Recovered as of ${timeOf(told)}. Start the server: it ships into a timeline of its own.`,
  });
}
