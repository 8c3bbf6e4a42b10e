// Every code block of the documentation runs on a real server, or says beside it why it does not.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { after, afterEach, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { clean } from './docs/clean.ts';
import { LANGUAGES } from './docs/languages.ts';
import { blocksOf } from './docs/page.ts';
import { runPage, runSample } from './docs/run-page.ts';
import { samplesOf } from './docs/samples.ts';
import { type Service, startService } from './support/service.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Decision records show no examples; the reference is generated. */
const PAGES = globSync(['README.md', 'docs/*.md', 'docs/guides/*.md'], { cwd: ROOT }).sort();

/** What creates an index or an assistant, in the ways of the pages. */
const CREATED =
  /(?:create(?:Index|IndexForModel|Assistant)\(\{\s*name: |create_index(?:_for_model)?\(|pinyon (?:index|assistant) create )['"]?([a-z-]+)/g;
const PAGES_FEW = 10;

function textOf(page: string): string {
  return readFileSync(`${ROOT}${page}`, 'utf8');
}

describe('the code blocks of the documentation', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.dispose());
  afterEach(() => clean(service));

  it('name a language of which the tests know what to do with it', () => {
    const unknown = PAGES.flatMap((page) =>
      blocksOf(textOf(page))
        .filter(({ language }) => !LANGUAGES.has(language))
        .map(({ line, language }) => `${page}:${line}: ${language || 'no language'}`),
    );
    assert.deepEqual(unknown, []);
  });

  it('make indexes and assistants of different names on each page, so that readers can follow all on one server', () => {
    const pagesOf = new Map<string, Set<string>>();
    for (const page of PAGES)
      for (const { code, isSetup, notRun } of blocksOf(textOf(page)))
        for (const [, name = ''] of isSetup || notRun !== null ? [] : code.matchAll(CREATED))
          pagesOf.set(name, (pagesOf.get(name) ?? new Set()).add(page));
    assert.ok(pagesOf.size > PAGES_FEW, 'the pattern finds what pages create');
    assert.deepEqual(
      [...pagesOf].filter(([, pages]) => pages.size > 1),
      [],
    );
  });

  for (const page of PAGES.filter((each) => blocksOf(textOf(each)).length > 0))
    it(`run in the order of ${page}`, () => runPage(textOf(page), service));
});

describe('the calls of SDKs in the OpenAPI document', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.dispose());

  for (const { operation, source } of samplesOf('typescript'))
    it(`work as written: ${operation}`, () => runSample(source, service));
});

describe('the reader of pages', () => {
  it('finds blocks, setups and reasons, with their lines', () => {
    const page =
      'A\n\n<!-- setup\nawait x();\n-->\n\n```sh\nls\n```\n\n```json\n[]\n```\nB\n\n<!-- not run: needs root -->\n```sh\nrm\n```\n';
    assert.deepEqual(
      blocksOf(page).map(({ language, line, notRun, isSetup, follows }) => [
        language,
        line,
        notRun,
        isSetup,
        follows,
      ]),
      [
        ['ts', 3, null, true, false],
        ['sh', 7, null, false, true],
        ['json', 11, null, false, true],
        ['sh', 17, 'needs root', false, true],
      ],
    );
  });
});
