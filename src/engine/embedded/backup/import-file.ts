// A file that is being written from a copy: it must be new and of the announced length, and is synced while it is written.

import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { membersOf } from '../../../domain/json.ts';
import { damaged } from './frames.ts';
import { SteadySync } from './steady-sync.ts';

/** File names that stay within the folder and are not hidden. */
const NAME = /^\w[\w.-]{0,199}$/;

export class ImportedFile {
  readonly #fd: number;
  readonly #bytes: number;
  readonly #sync: SteadySync;
  #written = 0;

  /** @param about payload of the frame that announces it @throws CopyFailed damaged */
  constructor(folder: string, about: Buffer) {
    const { name, bytes } = parse(about);
    this.#bytes = bytes;
    const path = join(folder, name);
    this.#fd = openSync(path, 'wx', 0o600);
    this.#sync = new SteadySync(path, () => fdatasyncSync(this.#fd));
  }

  /** @throws CopyFailed damaged when it is more than was announced */
  write(content: Buffer): void {
    if (this.#written + content.length > this.#bytes) throw damaged('one of its files is too long');
    for (let done = 0; done < content.length; ) done += writeSync(this.#fd, content, done);
    this.#written += content.length;
    this.#sync.wrote(content.length);
  }

  /** @throws CopyFailed damaged when it is less than was announced */
  finish(): void {
    if (this.#written !== this.#bytes) throw damaged('one of its files is too short');
    this.#sync.finish();
  }

  /** Never rejects. */
  close(): Promise<void> {
    closeSync(this.#fd);
    return this.#sync.close();
  }
}

function parse(about: Buffer): { readonly name: string; readonly bytes: number } {
  try {
    const { name, bytes } = membersOf(JSON.parse(about.toString()));
    if (typeof name === 'string' && NAME.test(name) && typeof bytes === 'number') return { name, bytes };
  } catch {
    // Thrown below.
  }
  throw damaged('one of its files has no proper name');
}
