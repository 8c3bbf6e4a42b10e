// A disk that loses power: from the recorded changes, what may be on it afterwards.
//
// Durable are the bytes of a file that were written before a sync of the file began, and the names in a folder before
// a sync of the folder began, or, on a disk with a journal of names, before any sync began. Everything else may be there
// or not: names up to any point of their order, bytes by page or by sector.
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Random } from '../support/random.ts';
import { LossyFile, type Survival } from './lossy-file.ts';
import type { Change } from './recording.ts';

/** How names become durable: each folder by its own sync, as POSIX has it, or all of them in order, as in a journal. */
export type NameOrder = 'by folder' | 'journal';

export class LossyFolder {
  /** As processes see it. */
  readonly entries = new Map<string, Entry>();
  readonly durable = new Map<string, Entry>();
}

type Entry = LossyFile | LossyFolder;

interface NameChange {
  readonly number: number;
  readonly folder: LossyFolder;
  readonly name: string;
  /** Null when the name is removed. */
  readonly entry: Entry | null;
  /** The name that a rename takes away at the same moment. */
  readonly source: { readonly folder: LossyFolder; readonly name: string } | null;
}

/** Files that are mapped for writing; what they hold means nothing after a start. */
const TRANSIENT = /(-shm|-lock)$/;

export class LossyDisk {
  readonly #rootPath: string;
  readonly #order: NameOrder;
  readonly #root = new LossyFolder();
  readonly #inodes = new Map<number, Entry>();
  readonly #syncs = new Map<string, number>();
  #pending: NameChange[] = [];
  #number = 0;

  /** @param rootPath the folder whose changes were recorded; empty at first */
  constructor(rootPath: string, order: NameOrder) {
    this.#rootPath = rootPath;
    this.#order = order;
    this.#inodes.set(statSync(rootPath).ino, this.#root);
  }

  apply(change: Change): void {
    this.#number++;
    switch (change.operation) {
      case 'create': {
        const file = new LossyFile();
        this.#inodes.set(change.inode, file);
        this.#setName(change.path, file, null);
        break;
      }
      case 'mkdir': {
        const folder = new LossyFolder();
        this.#inodes.set(change.inode, folder);
        this.#setName(change.path, folder, null);
        break;
      }
      case 'unlink':
      case 'rmdir':
        this.#setName(change.path, null, null);
        break;
      case 'rename':
        this.#setName(change.other, this.#at(change.path), change.path);
        break;
      case 'link':
        this.#setName(change.other, this.#at(change.path), null);
        break;
      case 'map':
        this.#assertTransient(change.inode);
        break;
      case 'sync-begin':
        this.#syncs.set(`${change.inode} ${change.offset}`, this.#number);
        break;
      case 'sync-end':
        this.#sync(change.inode, this.#syncs.get(`${change.inode} ${change.offset}`) ?? 0);
        break;
      case 'sync-all':
        for (const inode of this.#inodes.keys()) this.#sync(inode, this.#number);
        break;
      default:
        this.#fileOf(change.inode).change(change, this.#number);
    }
  }

  /** Writes what a process would see now. */
  writeCurrent(target: string): void {
    this.#write(target, this.#root, {
      entriesOf: ({ entries }) => entries,
      bytesOf: (file) => file.current(),
    });
  }

  /** Writes one of the states that a power loss may leave now. */
  writeSurvivor(target: string, survival: Survival, random: Random): void {
    const names = this.#survivingNames(survival, random);
    this.#write(target, this.#root, {
      entriesOf: (folder) => names.get(folder) ?? folder.durable,
      bytesOf: (file) => file.surviving(survival, random),
    });
  }

  #write(target: string, folder: LossyFolder, view: View): void {
    mkdirSync(target, { recursive: true });
    for (const [name, entry] of view.entriesOf(folder)) {
      if (TRANSIENT.test(name)) continue;
      const path = join(target, name);
      if (entry instanceof LossyFolder) this.#write(path, entry, view);
      else writeFileSync(path, view.bytesOf(entry), { mode: 0o600 });
    }
  }

  /** The names of each folder that has changes which are not durable. */
  #survivingNames(survival: Survival, random: Random): ReadonlyMap<LossyFolder, ReadonlyMap<string, Entry>> {
    const names = new Map<LossyFolder, Map<string, Entry>>();
    const of = (folder: LossyFolder) => {
      const known = names.get(folder) ?? new Map(folder.durable);
      names.set(folder, known);
      return known;
    };
    const groups =
      this.#order === 'journal'
        ? [this.#pending]
        : [...Map.groupBy(this.#pending, ({ folder }) => folder).values()];
    for (const group of groups) {
      const kept =
        survival === 'nothing'
          ? 0
          : survival === 'everything'
            ? group.length
            : random.below(group.length + 1);
      for (const { folder, name, entry, source } of group.slice(0, kept)) {
        if (source !== null) of(source.folder).delete(source.name);
        if (entry === null) of(folder).delete(name);
        else of(folder).set(name, entry);
      }
    }
    return names;
  }

  #setName(path: string, entry: Entry | null, from: string | null): void {
    const folder = this.#folderOf(path);
    const name = basename(path);
    const source = from === null ? null : { folder: this.#folderOf(from), name: basename(from) };
    if (source !== null) source.folder.entries.delete(source.name);
    if (entry === null) folder.entries.delete(name);
    else folder.entries.set(name, entry);
    this.#pending.push({ number: this.#number, folder, name, entry, source });
  }

  #sync(inode: number, before: number): void {
    const synced = this.#inodes.get(inode);
    if (synced instanceof LossyFile) synced.sync(before);
    const [durable, pending] = [[], []] as [NameChange[], NameChange[]];
    for (const change of this.#pending) {
      const isReached =
        this.#order === 'journal' || change.folder === synced || change.source?.folder === synced;
      (isReached && change.number < before ? durable : pending).push(change);
    }
    for (const { folder, name, entry, source } of durable) {
      if (source !== null) source.folder.durable.delete(source.name);
      if (entry === null) folder.durable.delete(name);
      else folder.durable.set(name, entry);
    }
    // What came before on the same name is overtaken.
    this.#pending = pending.filter(
      (change) =>
        !durable.some(
          ({ number, folder, name, source }) =>
            number > change.number &&
            ((folder === change.folder && name === change.name) ||
              (source?.folder === change.folder && source.name === change.name)),
        ),
    );
  }

  #assertTransient(inode: number): void {
    const file = this.#inodes.get(inode);
    for (const [path, entry] of this.#paths())
      if (entry === file && !TRANSIENT.test(path)) throw new Error(`${path} is mapped for writing`);
  }

  *#paths(folder = this.#root, path = ''): Generator<readonly [string, Entry]> {
    for (const [name, entry] of folder.entries) {
      yield [`${path}/${name}`, entry];
      if (entry instanceof LossyFolder) yield* this.#paths(entry, `${path}/${name}`);
    }
  }

  #fileOf(inode: number): LossyFile {
    const file = this.#inodes.get(inode);
    if (file instanceof LossyFile) return file;
    throw new Error(`inode ${inode} is no file`);
  }

  #folderOf(path: string): LossyFolder {
    const folder = dirname(path);
    if (folder === this.#rootPath) return this.#root;
    const found = this.#at(folder);
    if (found instanceof LossyFolder) return found;
    throw new Error(`${folder} is no folder`);
  }

  #at(path: string): Entry {
    const found = this.#folderOf(path).entries.get(basename(path));
    if (found === undefined) throw new Error(`${path} is not there`);
    return found;
  }
}

interface View {
  readonly entriesOf: (folder: LossyFolder) => ReadonlyMap<string, Entry>;
  readonly bytesOf: (file: LossyFile) => Uint8Array;
}
