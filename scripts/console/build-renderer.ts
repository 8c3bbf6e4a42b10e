// Keeps the renderer of the API reference in console/vendor: one script of a package of npm's, compressed.
//
// The package itself is no dependency: with what it depends on, it would install 340 MB for one file.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { CONSOLE } from './dependencies.ts';

const VENDOR = join(CONSOLE, 'vendor');
const PACKAGE = '@scalar/api-reference';
const VERSION = '1.72.1';
const INTEGRITY =
  'sha512-XpEJ0rfc/cXbCrR+iC4kK0o/WwX2dTtGQbT049OlPKAHD6IMIFdTeGz2r+M27P2EDWKyUITRm/NzlP8z2pw/Ow==';
const SCRIPT = 'package/dist/browser/standalone.js';
const BROTLI_QUALITY = 11;
const BROTLI_WINDOW_BITS = 24;

const folder = mkdtempSync(join(tmpdir(), 'pinyon-renderer-'));
try {
  const { filename, integrity } = pack();
  if (integrity !== INTEGRITY)
    throw new Error(`${PACKAGE}@${VERSION} has the integrity ${integrity}, expected ${INTEGRITY}`);
  execFileSync('tar', ['xzf', filename, SCRIPT], { cwd: folder });
  // The source map is not kept.
  const text = readFileSync(join(folder, SCRIPT), 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
  mkdirSync(VENDOR, { recursive: true });
  writeFileSync(join(VENDOR, `scalar-${VERSION}.js.br`), brotli(Buffer.from(text)));
} finally {
  rmSync(folder, { recursive: true });
}

function pack(): { readonly filename: string; readonly integrity: string } {
  const args = ['pack', `${PACKAGE}@${VERSION}`, '--json', '--silent'];
  const [packed] = JSON.parse(execFileSync('npm', args, { cwd: folder, encoding: 'utf8' }));
  const { filename } = packed;
  const digest = createHash('sha512')
    .update(readFileSync(join(folder, filename)))
    .digest('base64');
  return { filename, integrity: `sha512-${digest}` };
}

function brotli(bytes: Buffer): Buffer {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return brotliCompressSync(bytes, { params });
}
