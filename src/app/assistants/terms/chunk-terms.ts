// The terms by which a chunk is searched: of its text, and of the name of its file and the headings above it.
import type { ChunkTerms } from '../chunks/chunk-record.ts';
import { termList } from './analyze.ts';

const EXTENSION = /\.[a-z]{1,8}$/i;

export interface ChunkTitle {
  readonly fileName: string;
  /** Those above the chunk, the highest first. */
  readonly headings: readonly string[];
}

/** @param text of the chunk, with the headings that it lacks */
export function chunkTerms(text: string, { fileName, headings }: ChunkTitle): ChunkTerms {
  return { terms: termList(text).join(' '), title: termList(titleOf(fileName, headings)).join(' ') };
}

/** The name of a file without its extension, and headings. */
export function titleOf(fileName: string, headings: readonly string[]): string {
  return [fileName.replace(EXTENSION, ''), ...headings].join('\n');
}
