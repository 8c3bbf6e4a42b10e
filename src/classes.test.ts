// Classes stay small: none has more public methods and accessors than a reader can keep in mind.
import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type ClassLikeDeclaration, ModifierFlags, type Node } from 'typescript/unstable/ast';
import {
  isClassLikeDeclaration,
  isGetAccessorDeclaration,
  isIdentifier,
  isMethodDeclaration,
  isSetAccessorDeclaration,
} from 'typescript/unstable/ast/is';
import { API } from 'typescript/unstable/sync';

const SRC = fileURLToPath(new URL('.', import.meta.url));
/** A getter and a setter of one name count once. */
const PUBLIC_METHODS_MAX = 12;
/** Larger classes, each with the reason why parts of it would be worse. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ['MessageReader', 'one method for each type of the protobuf encoding'],
  ['ReferenceEngine', 'the methods of the port, and what its tests ask for'],
]);

test('keeps classes below the maximum of public methods', () => {
  const large = classes().filter(
    ({ name, methods }) => methods > PUBLIC_METHODS_MAX && !EXCEPTIONS.has(name),
  );
  assert.deepEqual(large, []);
});

/** The classes of the product, with the number of their public methods. */
function classes(): readonly { readonly name: string; readonly methods: number }[] {
  const files = globSync('**/*.ts', { cwd: SRC })
    .filter((file) => !/\.test\.ts$|(^|\/)(testing|assembly|conformance)\//.test(file))
    .map((file) => join(SRC, file))
    .filter((file) => /\bclass\b/.test(readFileSync(file, 'utf8')));
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-classes-'));
  const api = new API();
  try {
    // A project of these files alone: nothing is resolved or checked, which takes a hundredth of the time.
    const config = join(folder, 'tsconfig.json');
    const compilerOptions = { noLib: true, noResolve: true, types: [], allowImportingTsExtensions: true };
    writeFileSync(config, JSON.stringify({ compilerOptions, files }));
    const [project] = api.updateSnapshot({ openProjects: [config] }).getProjects();
    return files.flatMap((file) => {
      const source = project?.program.getSourceFile(file);
      assert.ok(source, `${file} cannot be read`);
      return classesIn(source).map((each) => ({
        name: each.name?.text ?? `a class of ${file}`,
        methods: publicMethods(each),
      }));
    });
  } finally {
    api.close();
    rmSync(folder, { recursive: true });
  }
}

function classesIn(node: Node): ClassLikeDeclaration[] {
  const found: ClassLikeDeclaration[] = isClassLikeDeclaration(node) ? [node] : [];
  node.forEachChild((child) => {
    found.push(...classesIn(child));
  });
  return found;
}

function publicMethods({ members }: ClassLikeDeclaration): number {
  const names = members.flatMap((member) => {
    const isMethod =
      isMethodDeclaration(member) || isGetAccessorDeclaration(member) || isSetAccessorDeclaration(member);
    const isHidden = isMethod && (member.modifierFlags & ModifierFlags.Private) !== 0;
    // Names of private methods, as in #name, are no identifiers.
    return isMethod && !isHidden && isIdentifier(member.name) ? [member.name.text] : [];
  });
  return new Set(names).size;
}
