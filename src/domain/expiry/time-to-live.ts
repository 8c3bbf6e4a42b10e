// Time to live: which metadata field holds the moment at which a record expires, and how long records live otherwise.
import { invalid } from '../faults.ts';
import type { Filter } from '../filter/grammar.ts';
import { MOMENT_SECONDS_MAX } from '../limits.ts';
import { parseMetadata } from '../records/metadata.ts';
import type { Metadata } from '../records/record.ts';

/** The setting of an index; plain data, sent between threads. */
export interface TimeToLive {
  /** The metadata field with the moment at which a record expires, in seconds since 1970. */
  readonly field: string;
  /** How long records without a moment live from their upsert on; null for ever. */
  readonly seconds: number | null;
  /** The same for single namespaces by their stored names; these take precedence. */
  readonly namespaces: Readonly<Record<string, number | null>>;
}

/** The present in whole seconds since 1970. A fraction of a moment counts as the next second. */
export type Clock = () => number;

export const systemClock: Clock = () => Math.floor(Date.now() / 1_000);

/** A clock that stands still: all reads of a request see the same moment. */
export function clockAt(moment: number = systemClock()): Clock {
  return () => moment;
}

/** The longest lifetime: 100 years. */
export const LIFETIME_SECONDS_MAX = 3_155_760_000;
/** The namespaces of an index that can have lifetimes of their own. */
export const LIFETIME_NAMESPACES_MAX = 1_000;

/** Selects the records that have not expired. */
export function liveFilter({ field }: Pick<TimeToLive, 'field'>, now: number): Filter {
  return { kind: 'live', field, now };
}

/** A filter, and only records that have not expired. Liveness comes first: engines evaluate it apart. */
export function onlyLive(live: Filter, filter: Filter | null): Filter {
  return filter === null ? live : { kind: 'all', parts: [live, filter] };
}

/** The moment at which a record expires; null for never. */
export function momentOf(metadata: Metadata, field: string): number | null {
  const value = Object.hasOwn(metadata, field) ? metadata[field] : undefined;
  return typeof value === 'number' ? value : null;
}

/** As `momentOf`, without parsing metadata that cannot have the field. */
export function momentIn(metadataJson: string | null, field: string): number | null {
  if (metadataJson === null || !metadataJson.includes(JSON.stringify(field))) return null;
  return momentOf(parseMetadata(metadataJson), field);
}

/** True when a record with this metadata has not expired. */
export function isLive(metadataJson: string | null, field: string, now: number): boolean {
  const moment = momentIn(metadataJson, field);
  return moment === null || moment > now;
}

/** A moment to look at records by: those have expired whose field holds one up to it. */
export interface ExpiryMoment extends Pick<TimeToLive, 'field'> {
  /** Seconds since 1970. */
  readonly now: number;
}

/** True when there is a record on one side or more, and all that are there have expired. */
export function haveExpired(
  sides: readonly ({ readonly metadataJson: string | null } | undefined)[],
  { field, now }: ExpiryMoment,
): boolean {
  const records = sides.filter((side) => side !== undefined);
  return records.length > 0 && !records.some(({ metadataJson }) => isLive(metadataJson, field, now));
}

/** Checks the moment among the fields that a write sets. @throws invalid-argument */
export function checkMoment(metadata: Metadata | null, field: string): void {
  const value = metadata !== null && Object.hasOwn(metadata, field) ? metadata[field] : undefined;
  if (value === undefined) return;
  if (typeof value === 'number' && value >= 0 && value <= MOMENT_SECONDS_MAX) return;
  const shown = JSON.stringify(value).slice(0, 100);
  throw invalid(
    `metadata field '${field}' holds the moment at which a record expires: expected seconds since 1970, 0 to ${MOMENT_SECONDS_MAX}, got ${shown}`,
  );
}

/** The namespaces that branches were made of, by the names of the branches. */
export type BranchSources = ReadonlyMap<string, string>;

export const NO_BRANCHES: BranchSources = new Map();

/**
 * How long records of a namespace live from their upsert on; null for ever. A branch without a setting of its own has that
 * of its source.
 */
export function lifetimeOf(
  { seconds, namespaces }: TimeToLive,
  namespace: string,
  sources: BranchSources,
): number | null {
  for (let name: string | undefined = namespace; name !== undefined; name = sources.get(name))
    if (Object.hasOwn(namespaces, name)) return namespaces[name] ?? null;
  return seconds;
}

/** Whether the lifetime of a namespace may depend on what it is a branch of. */
export function dependsOnSource({ namespaces }: TimeToLive, namespace: string): boolean {
  return !Object.hasOwn(namespaces, namespace) && Object.keys(namespaces).length > 0;
}

/**
 * The metadata of a record as upserted: with the moment at which it expires, if records of its namespace have a lifetime
 * and it has no moment of its own.
 * @throws invalid-argument for a moment that is none
 */
export function stampedMetadata(
  metadataJson: string | null,
  { field }: Pick<TimeToLive, 'field'>,
  { lifetime, now }: { readonly lifetime: number | null; readonly now: number },
): string | null {
  if (metadataJson?.includes(JSON.stringify(field))) checkMoment(parseMetadata(metadataJson), field);
  return lifetime === null ? metadataJson : stampedText(metadataJson, field, now + lifetime);
}

/** Metadata with the moment in the field, unless the field is there. */
export function stampedText(metadataJson: string | null, field: string, moment: number): string {
  const name = JSON.stringify(field);
  const isThere = metadataJson?.includes(name) === true && Object.hasOwn(parseMetadata(metadataJson), field);
  if (isThere) return metadataJson;
  const others = (metadataJson ?? '{}').slice(1);
  return others === '}' ? `{${name}:${moment}}` : `{${name}:${moment},${others}`;
}
