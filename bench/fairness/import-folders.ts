// The files that hogs import: one file of JSON lines, linked into a folder with a namespace for each hog.
import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordText } from './requests.ts';

export function writeImports(
  folder: string,
  {
    folders,
    records,
    dimension,
  }: { readonly folders: number; readonly records: number; readonly dimension: number },
): void {
  const lines = Array.from({ length: records }, (_, i) => recordText(i, dimension));
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'records');
  writeFileSync(file, lines.join('\n'));
  for (let i = 0; i < folders; i++) {
    const namespace = join(folder, `${i}`, importedNamespace(i));
    mkdirSync(namespace, { recursive: true });
    linkSync(file, join(namespace, 'records.jsonl'));
  }
}

/** What a hog imports. */
export function importedNamespace(number: number): string {
  return `import-${number}`;
}
