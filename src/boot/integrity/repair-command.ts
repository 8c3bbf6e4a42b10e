// pinyon repair: saves the whole records of a damaged index, or restores it from a backup, while no server runs.
import { setImmediate } from 'node:timers/promises';
import { openArchive } from '../../app/backups/read-archive.ts';
import { archivesOfIndex } from '../../app/integrity/archives-of-index.ts';
import { checkLines, isDamaged } from '../../app/integrity/directory-report.ts';
import { forgetState } from '../../app/recovery/shipping-state.ts';
import type { Archive, Catalog } from '../../catalog/port.ts';
import { CliProblem, EXIT_DONE, EXIT_FAILED, type Io, type ParsedWords } from '../../cli/command.ts';
import { confirm } from '../../cli/terminal/confirm.ts';
import { print } from '../../cli/terminal/print.ts';
import { Progress } from '../../cli/terminal/progress.ts';
import { counted } from '../../cli/terminal/watch.ts';
import { type Index, storageIdOf } from '../../domain/index-model.ts';
import type { IndexCheck } from '../../domain/integrity/index-check.ts';
import { whyNotInPlace } from '../../domain/integrity/why-not-in-place.ts';
import {
  type Repaired,
  repairFromCopy,
  repairFromRecords,
  settleUnfinishedRepair,
} from '../../engine/embedded/repair-storage.ts';
import { FileDamage } from '../../engine/embedded/storage/integrity/damage.ts';
import { type OpenDirectory, openDirectory } from './open-directory.ts';

interface Plan {
  readonly index: Index;
  readonly projectName: string | null;
  readonly check: IndexCheck;
  /** Null to save records. */
  readonly archive: Archive | null;
}

export async function repair(words: ParsedWords, io: Io): Promise<number> {
  const directory = await openDirectory(io.environment);
  try {
    const { catalog, problem } = directory.reading;
    if (catalog === null)
      throw new CliProblem(`${problem}. Repair or adopt the catalog first: pinyon check --adopt.`);
    const index = await indexOf(catalog, words.positionals[0] ?? '');
    settleUnfinishedRepair(directory.dataDir, storageIdOf(index));
    const check = await runCheck(directory, index, io);
    const wanted = words.flag('from-backup') || words.text('backup') !== undefined;
    const archive = wanted ? await archiveOf(catalog, index, words.text('backup')) : null;
    if (!isDamaged(check) && archive === null) {
      print(words, io, { json: { repaired: false, ...check }, text: `Index ${index.name} is whole.` });
      return EXIT_DONE;
    }
    const projectName = await projectNameOf(catalog, index);
    const plan: Plan = { index, projectName, check, archive };
    io.err(`${planText(plan)}\n`);
    await confirm(words, io, `Index ${index.name} will be changed.`);
    const repaired = await carryOut(directory, plan, io).catch((error: unknown) => {
      throw error instanceof FileDamage ? unsavable(error) : error;
    });
    // Writes of the repaired index have other numbers: the recovery log begins anew.
    forgetState(directory.dataDir);
    const told = doneText(plan, repaired);
    const left = await runCheck(directory, index, io).catch((error: unknown) => {
      io.err(`${told}\n`);
      throw error;
    });
    print(words, io, {
      json: {
        repaired: true,
        records: repaired.records,
        kept_at: repaired.keptAt,
        lost: lostOf(check),
        ...left,
      },
      text: told,
    });
    return isDamaged(left) ? EXIT_FAILED : EXIT_DONE;
  } finally {
    await directory.close();
  }
}

function unsavable({ message }: FileDamage): CliProblem {
  return new CliProblem(`Nothing can be saved: ${message}. Restore a backup with --from-backup.`);
}

async function indexOf(catalog: Catalog, name: string): Promise<Index> {
  const found = (await catalog.indexes.list()).filter((index) => index.name === name || index.id === name);
  const [index] = found;
  if (index === undefined) throw new CliProblem(`There is no index ${name}.`);
  if (found.length > 1)
    throw new CliProblem(
      `Several projects have an index ${name}; give its id: ${found.map(({ id }) => id).join(', ')}.`,
    );
  return index;
}

async function archiveOf(catalog: Catalog, index: Index, id: string | undefined): Promise<Archive> {
  const archives = await archivesOfIndex(catalog, index);
  const archive =
    id === undefined
      ? (archives.find((each) => whyNotInPlace(each, index) === null) ?? archives[0])
      : archives.find((each) => each.id === id);
  if (archive === undefined)
    throw new CliProblem(
      id === undefined
        ? `Index ${index.name} has no backup that is ready.`
        : `Index ${index.name} has no backup ${id}.`,
    );
  const reason = whyNotInPlace(archive, index);
  if (reason !== null)
    throw new CliProblem(
      `Backup ${archive.id} cannot take the place of index ${index.name}: ${reason}. Create another index from it, or repair without a backup.`,
    );
  return archive;
}

async function runCheck({ storage }: OpenDirectory, index: Index, io: Io): Promise<IndexCheck> {
  const { dimension, name } = index;
  const progress = new Progress(io, 'Check');
  try {
    const steps = storage.check({ id: storageIdOf(index), dimension });
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      progress.show(Math.min(100, (100 * value.bytes) / Math.max(1, value.bytesExpected)), `index ${name}`);
      await heedInterrupt(io);
    }
  } finally {
    progress.end();
  }
}

/** Lets an interrupt arrive. @throws the signal's reason */
async function heedInterrupt({ signal }: Io): Promise<void> {
  await setImmediate();
  signal.throwIfAborted();
}

function lostOf({ namespaces }: IndexCheck): number {
  return namespaces.reduce((sum, { lost }) => sum + lost, 0);
}

function planText({ index, check, archive }: Plan): string {
  const whole = check.namespaces.reduce((sum, { records }) => sum + records, 0);
  const next =
    archive === null
      ? `Repair saves ${counted(whole, 'record')} and gives up ${counted(lostOf(check), 'lost record')}.`
      : `Repair puts backup ${archive.id} of ${archive.createdAt}, with ${counted(archive.recordCount, 'record')}, in place of the index. Writes since then are lost.`;
  const state = isDamaged(check) ? 'is damaged' : 'is whole';
  return [`Index ${index.name} ${state}.`, ...checkLines(check), next].join('\n');
}

async function carryOut(
  { dataDir, blobs }: OpenDirectory,
  { index, projectName, archive }: Plan,
  io: Io,
): Promise<Repaired> {
  await heedInterrupt(io);
  const { signal } = io;
  const progress = new Progress(io, 'Repair');
  try {
    if (archive === null) {
      const onSaved = (records: number) => progress.show(0, `${counted(records, 'record')} saved`);
      return await repairFromRecords(dataDir, { index, projectName }, { onSaved, signal });
    }
    const onShare = (share: number) => progress.show(100 * share, `backup ${archive.id}`);
    const copy = await openArchive(blobs, archive, { signal, onShare });
    return await repairFromCopy(dataDir, { index, projectName }, { ...copy, signal });
  } finally {
    progress.end();
  }
}

function doneText({ index, check, archive }: Plan, { records, keptAt }: Repaired): string {
  const what =
    archive === null
      ? `Index ${index.name} is repaired: ${counted(records, 'record')} saved, ${lostOf(check)} lost.`
      : `Index ${index.name} is restored from backup ${archive.id}: ${counted(records, 'record')}.`;
  return keptAt === null
    ? what
    : `${what} The damaged files are in ${keptAt}; remove them when you need them no more.`;
}

async function projectNameOf({ administration }: Catalog, { projectId }: Index): Promise<string | null> {
  const { projects } = await administration.access.snapshot();
  return projects.find(({ id }) => id === projectId)?.name ?? null;
}
