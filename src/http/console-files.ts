// The built files of the console, read once: its pages and their assets, with their compressed forms.
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What `npm run build:console` makes. */
const FOLDER = fileURLToPath(new URL('../../console/dist/', import.meta.url));
const PAGE_EXTENSION = '.html';

const TYPES: Readonly<Record<string, string>> = {
  [PAGE_EXTENSION]: 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
};

/** By preference. */
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const;

export type Encoding = (typeof ENCODINGS)[number]['name'];

export interface ConsoleFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Smaller forms of the bytes, by preference. */
  readonly encoded: ReadonlyMap<Encoding, Buffer>;
}

export interface ConsoleFiles {
  /** By name: `index` is the console, `docs` the API reference. Empty where the console was not built. */
  readonly pages: ReadonlyMap<string, ConsoleFile>;
  /** By path, which contains the hash of the content. */
  readonly assets: ReadonlyMap<string, ConsoleFile>;
}

export function readConsoleFiles(folder: string = FOLDER): ConsoleFiles {
  const paths = pathsIn(folder).filter((path) => TYPES[extname(path)] !== undefined);
  const [pages, assets] = [true, false].map((isPage) =>
    paths.filter((path) => (extname(path) === PAGE_EXTENSION) === isPage),
  );
  return {
    pages: new Map(
      pages?.map((path) => [path.slice(0, -PAGE_EXTENSION.length), readFile(folder, path)] as const),
    ),
    assets: new Map(assets?.map((path) => [`/${path}`, readFile(folder, path)] as const)),
  };
}

function pathsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) =>
      path.replaceAll('\\', '/'),
    );
  } catch {
    return [];
  }
}

function readFile(folder: string, path: string): ConsoleFile {
  const encoded = ENCODINGS.flatMap(({ name, suffix }) => {
    try {
      return [[name, readFileSync(join(folder, `${path}${suffix}`))] as const];
    } catch {
      return [];
    }
  });
  return {
    type: TYPES[extname(path)] ?? '',
    bytes: readFileSync(join(folder, path)),
    encoded: new Map(encoded),
  };
}
