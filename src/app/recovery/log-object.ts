// The object of the log that is being filled.
import { newId } from '../../domain/ids.ts';
import {
  type CatalogSection,
  encodeObject,
  type LogHeader,
  packSection,
  RECOVERY_FORMAT,
  type Section,
  type WritesSection,
} from './log-format.ts';

type Details<Kind extends WritesSection | CatalogSection> = Omit<
  Kind,
  'bytes' | 'rawBytes' | 'isCompressed' | 'crc'
>;

/** An object that is to be stored. */
export interface WholeObject {
  readonly header: LogHeader;
  readonly bytes: Buffer;
}

export class LogObject {
  readonly #sections: Section[] = [];
  readonly #contents: Uint8Array[] = [];
  bytes = 0;

  get isEmpty(): boolean {
    return this.#sections.length === 0;
  }

  async add(details: Details<WritesSection> | Details<CatalogSection>, raw: Uint8Array): Promise<void> {
    const { content, ...stored } = await packSection(raw);
    this.#sections.push({ ...details, ...stored });
    this.#contents.push(content);
    this.bytes += content.length;
  }

  note(section: Extract<Section, { kind: 'gap' | 'dropped' }>): void {
    this.#sections.push(section);
  }

  finish(place: Pick<LogHeader, 'number' | 'first' | 'at' | 'isComplete'>): WholeObject {
    const header: LogHeader = { format: RECOVERY_FORMAT, id: newId(), ...place, sections: this.#sections };
    return { header, bytes: encodeObject(header, this.#contents) };
  }
}
