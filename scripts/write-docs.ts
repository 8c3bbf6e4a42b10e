// Writes the generated documentation, and the types that the console has of it; with --check it only says what is out of date.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { protoText } from '../src/api/grpc/proto-text.ts';
import { errorsPage } from '../src/api/openapi/errors-page.ts';
import { EVERY_ENDPOINT } from '../src/api/openapi/every-endpoint.ts';
import { filtersPage } from '../src/api/openapi/filters-page.ts';
import { openApiDocument } from '../src/api/openapi/openapi-document.ts';
import { settingsPage } from '../src/boot/settings-pages.ts';
import { commandsPage } from '../src/cli/table/commands-page.ts';
import { API_VERSIONS, NEWEST_API_VERSION } from '../src/domain/api-version.ts';
import { answerTypes } from './console/answer-types.ts';

const root = new URL('../docs/', import.meta.url);

const pages: ReadonlyMap<string, string> = new Map([
  ['reference/commands.md', commandsPage()],
  ['reference/settings.md', settingsPage()],
  ['reference/errors.md', errorsPage()],
  ['reference/filters.md', filtersPage()],
  ['reference/vector-service.proto', protoText()],
  [
    '../console/src/api/generated/answers.ts',
    answerTypes(openApiDocument(NEWEST_API_VERSION, EVERY_ENDPOINT)),
  ],
  ...API_VERSIONS.map((version): [string, string] => [
    `openapi/${version}.json`,
    `${JSON.stringify(openApiDocument(version, EVERY_ENDPOINT), null, 1)}\n`,
  ]),
]);

const stale = [...pages].filter(([name, text]) => current(name) !== text).map(([name]) => name);
if (process.argv.includes('--check')) {
  for (const name of stale) process.stderr.write(`docs/${name} is out of date; run npm run docs.\n`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  for (const name of stale) write(name, pages.get(name) ?? '');
  process.stdout.write(`${stale.length} of ${pages.size} pages written.\n`);
}

function current(name: string): string | undefined {
  try {
    return readFileSync(new URL(name, root), 'utf8');
  } catch {
    return undefined;
  }
}

function write(name: string, text: string): void {
  const path = fileURLToPath(new URL(name, root));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
