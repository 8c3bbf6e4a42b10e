// Runs generators of clients and a linter over the OpenAPI document of every version, and compiles what they make.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { API_VERSIONS, type ApiVersion } from '../../src/domain/api-version.ts';
import { CHECKS, type Draft } from './generators.ts';
import { Workshop } from './workshop.ts';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>;
}

const asked = process.argv.slice(2);
const versions = API_VERSIONS.filter((version) => asked.length === 0 || asked.includes(version));
const workshop = new Workshop();
let failed = 0;
try {
  process.stdout.write('Installing the tools.\n');
  workshop.install();
  for (const version of versions) {
    const draft = draftOf(version);
    for (const [tool, check] of Object.entries(CHECKS))
      report(`${version} ${tool}`, () => check(workshop, draft));
  }
} finally {
  workshop.remove();
}
const count = versions.length * Object.keys(CHECKS).length;
process.stdout.write(`${count - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

function report(name: string, check: () => void): void {
  try {
    check();
    process.stdout.write(`ok      ${name}\n`);
  } catch (error) {
    failed += 1;
    process.stdout.write(`FAILED  ${name}\n${error instanceof Error ? error.message : String(error)}\n`);
  }
}

function draftOf(version: ApiVersion): Draft {
  const path = fileURLToPath(new URL(`../../docs/openapi/${version}.json`, import.meta.url));
  const { paths }: Document = JSON.parse(readFileSync(path, 'utf8'));
  const folder = join(workshop.folder, version);
  mkdirSync(folder);
  const operationIds = Object.values(paths).flatMap((item) =>
    Object.values(item).flatMap(({ operationId }) => operationId ?? []),
  );
  return { version, path, operationIds, folder };
}
