// Reads the package of an EPUB book: its title, its authors and the parts of its chapters (EPUB 3.3, "Package document").
import { posix } from 'node:path';
import { readXml, type XmlAttributes, type XmlLimits } from '../office/read-xml.ts';
import type { ZipArchive } from '../zip-archive.ts';

export interface EpubPackage {
  readonly title: string;
  readonly authors: readonly string[];
  /** The names of parts in the archive, in reading order; without the table of contents. */
  readonly chapters: readonly string[];
}

const CHAPTER_TYPES = new Set(['application/xhtml+xml', 'text/html']);

/** @throws DocumentRefusal `corrupt` or `too-deep` */
export function readPackage(archive: ZipArchive, part: string, limits: XmlLimits): EpubPackage {
  const reader = new PackageReader(posix.dirname(part));
  readXml(archive.read(part), reader, limits);
  const { titles, authors, chapters } = reader;
  return {
    title: titles[0] ?? '',
    authors: authors.filter((author) => author.trim() !== ''),
    chapters: chapters.filter((chapter) => archive.has(chapter)),
  };
}

class PackageReader {
  readonly #folder: string;
  readonly #items = new Map<string, string>();
  /** Where the text of the current element goes. */
  #texts: string[] | undefined;
  readonly titles: string[] = [];
  readonly authors: string[] = [];
  readonly chapters: string[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === 'title' || name === 'creator')
      this.#beginText(name === 'title' ? this.titles : this.authors);
    else if (name === 'item') this.#addItem(attributes);
    else if (name === 'itemref') this.#addChapter(attributes.idref ?? '');
  }

  text(text: string): void {
    this.#texts?.push(`${this.#texts.pop() ?? ''}${text}`);
  }

  close(): void {
    this.#texts = undefined;
  }

  #beginText(texts: string[]): void {
    this.#texts = texts;
    texts.push('');
  }

  #addItem({ id = '', href = '', properties = '', 'media-type': type = '' }: XmlAttributes): void {
    if (!CHAPTER_TYPES.has(type) || properties.split(/\s+/).includes('nav')) return;
    this.#items.set(id, posix.join(this.#folder, decoded(href)));
  }

  #addChapter(id: string): void {
    const part = this.#items.get(id);
    if (part !== undefined) this.chapters.push(part);
  }
}

function decoded(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}
