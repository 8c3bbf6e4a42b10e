// What a check of a whole data directory finds, and how it is told to people.
import type { IndexCheck, NamespaceCheck } from '../../domain/integrity/index-check.ts';

export interface CheckedIndex {
  readonly id: string;
  readonly name: string;
  readonly project: string;
  /** The assistant whose chunks it holds; null for indexes of callers. */
  readonly assistant: string | null;
  readonly check: IndexCheck;
}

/** Storage that the catalog does not know. */
export interface OrphanedIndex {
  readonly id: string;
  readonly place: string;
  /** What its description says; null when there is none that can be read. */
  readonly name: string | null;
  readonly project: string | null;
  /** Null when its description does not say what its files should be. */
  readonly check: IndexCheck | null;
}

/** A stored file that was compared with its digest. */
export interface CheckedFile {
  /** Such as "backup 'nightly' of index notes". */
  readonly what: string;
  readonly id: string;
  readonly problem: string | null;
}

export interface DirectoryReport {
  /** What is wrong with the catalog; null when nothing is. */
  readonly catalog: string | null;
  readonly indexes: readonly CheckedIndex[];
  readonly orphans: readonly OrphanedIndex[];
  readonly backups: readonly CheckedFile[];
  readonly files: readonly CheckedFile[];
}

/** Ids that a line of text names. */
const NAMED_IDS_MAX = 20;

export function isDamaged(check: IndexCheck): boolean {
  return check.problems.length > 0;
}

/** True when nothing is damaged, missing or orphaned. */
export function isWhole({ catalog, indexes, orphans, backups, files }: DirectoryReport): boolean {
  return (
    catalog === null &&
    orphans.length === 0 &&
    indexes.every(({ check }) => !isDamaged(check)) &&
    [...backups, ...files].every(({ problem }) => problem === null)
  );
}

export function reportText(report: DirectoryReport): string {
  const { catalog, indexes, orphans, backups, files } = report;
  const lines = [
    catalog === null ? 'catalog: whole' : `catalog: DAMAGED: ${catalog}`,
    ...indexes.flatMap(indexLines),
    ...orphans.flatMap(orphanLines),
    ...[...backups, ...files].map(
      ({ what, problem }) => `${what}: ${problem === null ? 'whole' : `DAMAGED: ${problem}`}`,
    ),
    '',
    summary(report),
  ];
  return lines.join('\n');
}

export function checkLines(check: IndexCheck): readonly string[] {
  return [
    ...check.problems.map((problem) => `  ${problem}`),
    ...check.namespaces.filter(({ lost }) => lost > 0).map((each) => `  ${lostLine(each)}`),
    ...check.derived.map((file) => `  made again by the server: ${file}`),
  ];
}

/** Such as "namespace 'a': 3 of 700 records lost: r1, r2 and 1 more". */
function lostLine({ name, records, lost, lostIds }: NamespaceCheck): string {
  const what = name === null ? 'a namespace whose name is lost' : `namespace '${name}'`;
  const total = `${lost} of ${records + lost} records lost`;
  if (lostIds.length === 0) return `${what}: ${total}, with their ids`;
  const named = lostIds.slice(0, NAMED_IDS_MAX).map((id) => JSON.stringify(id));
  const rest = lost - named.length;
  return `${what}: ${total}: ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function indexLines({ name, project, assistant, check }: CheckedIndex): readonly string[] {
  const what =
    assistant === null
      ? `index ${name} (project ${project})`
      : `chunks of assistant ${assistant} (project ${project})`;
  const records = check.namespaces.reduce((sum, each) => sum + each.records, 0);
  const state = isDamaged(check) ? 'DAMAGED' : 'whole';
  return [`${what}: ${state}, ${records.toLocaleString('en-US')} whole records`, ...checkLines(check)];
}

function orphanLines({ id, place, name, project, check }: OrphanedIndex): readonly string[] {
  const what = name === null ? `index ${id}` : `index ${name} (project ${project ?? 'unknown'})`;
  const state = check === null ? 'nothing says what it is' : isDamaged(check) ? 'DAMAGED' : 'whole';
  return [`ORPHANED: ${what}, ${state}, at ${place}`, ...(check === null ? [] : checkLines(check))];
}

function summary(report: DirectoryReport): string {
  if (isWhole(report)) return 'Everything is whole.';
  const damaged = report.indexes.filter(({ check }) => isDamaged(check));
  const parts = [
    ...(report.catalog === null ? [] : ['the catalog is damaged']),
    ...counted(damaged.length, 'index is damaged', 'indexes are damaged'),
    ...counted(report.orphans.length, 'index is in no catalog', 'indexes are in no catalog'),
    ...counted(report.backups.filter(hasProblem).length, 'backup is damaged', 'backups are damaged'),
    ...counted(report.files.filter(hasProblem).length, 'file is damaged', 'files are damaged'),
  ];
  const advice = [
    ...damaged.flatMap(({ name, assistant }) => (assistant === null ? [`pinyon repair ${name}`] : [])),
    ...(report.orphans.length > 0 ? ['pinyon check --adopt'] : []),
  ];
  const next = advice.length === 0 ? '' : ` Next: ${[...new Set(advice)].join('; ')}.`;
  return `Damage was found: ${parts.join(', ')}.${next}`;
}

function hasProblem({ problem }: CheckedFile): boolean {
  return problem !== null;
}

function counted(count: number, one: string, many: string): readonly string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
}
