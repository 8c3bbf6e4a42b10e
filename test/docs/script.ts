// Turns the TypeScript blocks of a page into one program, as a reader has it who follows the page.
import { stripTypeScriptTypes } from 'node:module';

const IMPORT = /^import (?:(?<whole>\w+)|\{(?<names>[^}]*)\}) from '(?<from>[^']+)';$/gm;
/** The type of functions that may await; it has no name of its own. */
const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;

/** What a program gets in the place of globals, by name. */
export type Givens = Readonly<Record<string, unknown>>;

/** Imports as expressions: a module may not be imported twice under one name, but a page may. */
export function withoutImports(code: string): string {
  return code.replace(IMPORT, (...parts) => {
    const { whole, names, from } = parts.at(-1);
    const wanted = whole === undefined ? `{${names.replaceAll(' as ', ': ')}}` : `{ default: ${whole} }`;
    return `var ${wanted} = await load('${from}');`;
  });
}

/** @throws SyntaxError */
export function programOf(code: string, givens: Givens): () => Promise<void> {
  const body = withoutImports(stripTypeScriptTypes(code));
  const run = new AsyncFunction(...Object.keys(givens), body);
  return () => run(...Object.values(givens));
}
