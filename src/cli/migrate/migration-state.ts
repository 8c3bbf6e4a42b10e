// The progress of a migration, stored in a file so that it resumes after an interruption.

import { createHash } from 'node:crypto';
import { access, constants, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseOwnJson } from '../../domain/json.ts';
import { CliProblem } from '../command.ts';
import { replaceWhole } from '../files/write-files.ts';
import { Losses, type Unstorable } from './losses.ts';
import type { MigratedRecord } from './record-kind.ts';

const VERSION = 1;
const SAVE_MS = 1_000;
/** Addresses and ids are nobody else's business. */
const FILE_MODE = 0o600;
/** Records that are compared at the end. */
export const SAMPLE_MAX = 500;

export interface NamespaceState {
  /** The token of the next page of the source; null at the start. */
  token: string | null;
  isDone: boolean;
  records: number;
  /** Ids of records that the source does not return; absent where it returned all. */
  unreadable?: string[];
}

export interface SampledRecord {
  readonly namespace: string;
  readonly id: string;
  /** The digest of what was read, where the source cannot be asked again. */
  readonly digest?: string;
}

interface Content {
  readonly version: number;
  /** Source and target; a state is valid for this pair only. */
  readonly between: readonly string[];
  /** A map, since a namespace may have the name of a member of all objects. */
  readonly namespaces: Map<string, NamespaceState>;
  readonly sample: SampledRecord[];
  seen: number;
  /** How often what was changed or left out; absent where nothing can be. */
  losses?: Readonly<Record<string, number>>;
  /** The first records that the target would refuse; absent where none was found. */
  unstorable?: readonly Unstorable[];
}

export class MigrationState {
  readonly #file: string;
  readonly #content: Content;
  readonly isResumed: boolean;
  #savedAt = performance.now();

  private constructor(file: string, content: Content, isResumed: boolean) {
    this.#file = file;
    this.#content = content;
    this.isResumed = isResumed;
  }

  /** @throws CliProblem if the file is the state of another migration */
  static async open(file: string, between: readonly string[]): Promise<MigrationState> {
    const text = await readFile(file, 'utf8').catch(() => null);
    if (text === null) {
      // Checked now, so that a failure does not show only after the first pages.
      await access(dirname(file), constants.W_OK);
      const content: Content = { version: VERSION, between, namespaces: new Map(), sample: [], seen: 0 };
      return new MigrationState(file, content, false);
    }
    const content = contentOf(text);
    if (content === null || JSON.stringify(content.between) !== JSON.stringify(between)) {
      throw new CliProblem(
        `The file ${file} is not the state of this migration. Remove it or name another with --state.`,
      );
    }
    return new MigrationState(file, content, true);
  }

  namespace(name: string): NamespaceState {
    const { namespaces } = this.#content;
    const state: NamespaceState = namespaces.get(name) ?? { token: null, isDone: false, records: 0 };
    namespaces.set(name, state);
    return state;
  }

  get records(): number {
    return this.#content.namespaces.values().reduce((sum, { records }) => sum + records, 0);
  }

  /** The records that the source did not return. */
  get unreadable(): readonly SampledRecord[] {
    return [...this.#content.namespaces].flatMap(([namespace, { unreadable = [] }]) =>
      unreadable.map((id) => ({ namespace, id })),
    );
  }

  get sample(): readonly SampledRecord[] {
    return this.#content.sample;
  }

  /** Samples every record with the same probability (reservoir sampling, Vitter's algorithm R). */
  note(namespace: string, ids: readonly string[]): void {
    for (const id of ids) this.#sample(() => ({ namespace, id }));
  }

  /** As `note`, with what was read of each. */
  noteRecords(namespace: string, records: readonly MigratedRecord[]): void {
    for (const { id, signature } of records)
      this.#sample(() => ({ namespace, id, digest: digestOf(signature) }));
  }

  #sample(record: () => SampledRecord): void {
    const { sample } = this.#content;
    const place = Math.floor(Math.random() * ++this.#content.seen);
    if (sample.length < SAMPLE_MAX) sample.push(record());
    else if (place < SAMPLE_MAX) sample[place] = record();
  }

  get losses(): Losses {
    return new Losses(this.#content.losses, this.#content.unstorable);
  }

  /** Adds to what was changed or left out. */
  lose(losses: Losses): void {
    const all = this.losses;
    all.addAll(losses);
    this.#content.losses = all.counts;
    if (all.unstorable.length > 0) this.#content.unstorable = all.unstorable;
  }

  async saveSometimes(): Promise<void> {
    if (performance.now() - this.#savedAt >= SAVE_MS) await this.save();
  }

  async save(): Promise<void> {
    this.#savedAt = performance.now();
    await replaceWhole(this.#file, textOf(this.#content), FILE_MODE);
  }

  async remove(): Promise<void> {
    await rm(this.#file, { force: true });
  }
}

/** Of a record's signature. */
export function digestOf(signature: string): string {
  return createHash('sha256').update(signature).digest('base64');
}

/** In files, namespaces are members of an object, own ones whatever they are called. */
interface Saved extends Omit<Content, 'namespaces'> {
  readonly namespaces: Readonly<Record<string, NamespaceState>>;
}

function textOf(content: Content): string {
  const saved: Saved = { ...content, namespaces: Object.fromEntries(content.namespaces) };
  return JSON.stringify(saved);
}

function contentOf(text: string): Content | null {
  try {
    const { namespaces, ...saved } = parseOwnJson<Saved>(text);
    if (saved.version !== VERSION) return null;
    return { ...saved, namespaces: new Map(Object.entries(namespaces)) };
  } catch {
    return null;
  }
}
