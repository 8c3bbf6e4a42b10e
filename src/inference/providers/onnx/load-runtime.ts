// Loads the packages that local models run on: those of a folder in the data directory, else those installed with Pinyon.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

type Runtime = typeof import('onnxruntime-node');
type Tokenizers = typeof import('@huggingface/tokenizers');

/** @throws Error that says how to install them */
export async function loadRuntime(runtimeDir: string | null): Promise<readonly [Runtime, Tokenizers]> {
  try {
    const isInFolder = runtimeDir !== null && existsSync(join(runtimeDir, 'node_modules'));
    return isInFolder ? await loadFrom(runtimeDir) : await loadOwn();
  } catch {
    throw new Error('the runtime of local models is missing; pinyon models pull installs it');
  }
}

async function loadOwn(): Promise<readonly [Runtime, Tokenizers]> {
  return await Promise.all([import('onnxruntime-node'), import('@huggingface/tokenizers')]);
}

async function loadFrom(folder: string): Promise<readonly [Runtime, Tokenizers]> {
  const { resolve } = createRequire(join(folder, 'package.json'));
  const [runtime, tokenizers] = ['onnxruntime-node', '@huggingface/tokenizers'].map(
    async (name) => await import(pathToFileURL(resolve(name)).href),
  );
  return [withoutDefault(await runtime), withoutDefault(await tokenizers)];
}

/** CommonJS packages that are loaded by path may have their names in the default export alone. */
function withoutDefault<Module>(module: Module & { readonly default?: Module }): Module {
  return module.default ?? module;
}
