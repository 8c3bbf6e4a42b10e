// The built files of the console, read once: the page and its assets, with their compressed forms.
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What `npm run build:console` makes. */
const FOLDER = fileURLToPath(new URL('../../console/dist/', import.meta.url));
const PAGE = 'index.html';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
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
  /** Absent where the console was not built. */
  readonly page: ConsoleFile | undefined;
  /** By path, which contains the hash of the content. */
  readonly assets: ReadonlyMap<string, ConsoleFile>;
}

export function readConsoleFiles(folder: string = FOLDER): ConsoleFiles {
  const paths = pathsIn(folder).filter((path) => TYPES[extname(path)] !== undefined);
  const files = new Map(paths.map((path) => [`/${path}`, readFile(folder, path)]));
  const page = files.get(`/${PAGE}`);
  files.delete(`/${PAGE}`);
  return { page, assets: files };
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
