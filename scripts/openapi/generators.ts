// What each tool makes of a document, and the checks of the outcome. Each throws with the reason when it is not right.
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Workshop } from './workshop.ts';

/** A document on its way through the tools. */
export interface Draft {
  readonly version: string;
  readonly path: string;
  readonly operationIds: readonly string[];
  /** Empty, for the outcome. */
  readonly folder: string;
}

type Check = (workshop: Workshop, draft: Draft) => void;

export const CHECKS: Readonly<Record<string, Check>> = {
  Redocly: lint,
  'openapi-typescript': generateTypes,
  'hey-api': generateTypeScriptClient,
  'openapi-python-client': generatePythonClient,
};

/** The committed documents name the default address, which is this machine's. */
const REDOCLY_CONFIG = 'extends:\n  - recommended\nrules:\n  no-server-example.com: off\n';

function lint(workshop: Workshop, { path, folder }: Draft): void {
  const config = join(folder, 'redocly.yaml');
  writeFileSync(config, REDOCLY_CONFIG);
  const output = workshop.node('redocly', ['lint', path, '--config', config]);
  if (/^(Warning|Error) was generated/m.test(output)) throw new Error(output);
}

function generateTypes(workshop: Workshop, { path, folder, operationIds }: Draft): void {
  const file = join(folder, 'types', 'api.ts');
  workshop.node('openapi-typescript', [path, '--output', file]);
  const text = readFileSync(file, 'utf8');
  requireEach(operationIds, (id) => text.includes(`\n    ${id}: {`));
  compile(workshop, join(folder, 'types'));
}

function generateTypeScriptClient(workshop: Workshop, { path, folder, operationIds }: Draft): void {
  const target = join(folder, 'client');
  workshop.node('openapi-ts', ['--input', path, '--output', target, '--no-log-file']);
  const text = readFileSync(join(target, 'sdk.gen.ts'), 'utf8');
  requireEach(operationIds, (id) => text.includes(`export const ${camelCase(id)} = `));
  compile(workshop, target);
}

const PYTHON_CONFIG = fileURLToPath(
  new URL('../../docs/openapi/openapi-python-client.yaml', import.meta.url),
);

function generatePythonClient(workshop: Workshop, { path, folder, operationIds }: Draft): void {
  const target = join(folder, 'python_client');
  const output = workshop.run(join(workshop.folder, 'python', 'bin', 'openapi-python-client'), [
    ...['generate', '--path', path, '--output-path', target, '--meta', 'none', '--config', PYTHON_CONFIG],
  ]);
  if (/will not be generated/i.test(output)) throw new Error(output);
  const modules = globSync('api/*/*.py', { cwd: target }).map((file) => file.replaceAll('\\', '/'));
  requireEach(operationIds, (id) => modules.some((file) => file.endsWith(`/${id}.py`)));
  workshop.python('-m', ['compileall', '-q', target]);
  if (/unable to process schema/i.test(output)) throw new Error(output);
  const names = globSync('**/*.py', { cwd: target }).map((file) =>
    ['python_client', ...file.replace(/(\/__init__)?\.py$/, '').split('/')].join('.'),
  );
  const imports = names.filter((name) => !name.endsWith('__init__')).map((name) => `import ${name}`);
  const script = join(folder, 'import_all.py');
  writeFileSync(script, `${imports.join('\n')}\n`);
  workshop.python(script);
}

/** @throws Error with the operations that the outcome lacks */
function requireEach(operationIds: readonly string[], has: (id: string) => boolean): void {
  const dropped = operationIds.filter((id) => !has(id));
  if (dropped.length > 0) throw new Error(`dropped: ${dropped.join(', ')}`);
}

function compile(workshop: Workshop, folder: string): void {
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
  const options = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
  };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, include: ['**/*.ts'] }),
  );
  workshop.node('tsc', ['--project', folder]);
}

function camelCase(id: string): string {
  return id.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
