// Finds local models by their folders, and says of folders that are almost models what they lack.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { missingFiles } from './providers/onnx/check-files.ts';
import { MANIFEST_FILE, readManifest } from './providers/onnx/manifest.ts';
import { ModelsProblem } from './settings/fields.ts';
import { MODEL_NAME } from './settings/provider-settings.ts';

export interface FoundFolders {
  /** Names of models that are served, in alphabetical order. */
  readonly found: readonly string[];
  readonly notices: readonly string[];
}

const LEFTOVER = /\.partial$/;
const MODEL_FILES = /\.onnx$|^onnx$|^tokenizer\.json$|^pinyon-model\.json$|^config\.json$/;

/** @param known names of the catalogue and the settings, whose folders are found by name */
export function findFolders(modelsDir: string, known: ReadonlySet<string>): FoundFolders {
  const found: string[] = [];
  const notices: string[] = [];
  for (const name of foldersIn(modelsDir)) {
    const lack = lackOf(join(modelsDir, name), name);
    if (lack !== null) notices.push(`The model ${name} is not served: ${lack} (docs/inference.md).`);
    else if (!known.has(name)) found.push(name);
  }
  return { found, notices };
}

function foldersIn(modelsDir: string): readonly string[] {
  if (!existsSync(modelsDir)) return [];
  return readdirSync(modelsDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('.') && !LEFTOVER.test(name))
    .filter((name) => looksLikeModel(join(modelsDir, name)))
    .sort();
}

function looksLikeModel(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => MODEL_FILES.test(name));
  } catch {
    return false;
  }
}

/** Null when nothing is missing. */
function lackOf(folder: string, name: string): string | null {
  if (!MODEL_NAME.test(name)) return 'its name must be 1 to 128 visible ASCII characters';
  if (!existsSync(join(folder, MANIFEST_FILE))) return `its folder has no ${MANIFEST_FILE}`;
  try {
    const missing = missingFiles(folder, readManifest(folder));
    return missing.length === 0 ? null : `its folder has no ${missing.join(', ')}`;
  } catch (error) {
    if (error instanceof ModelsProblem) return error.message;
    throw error;
  }
}
