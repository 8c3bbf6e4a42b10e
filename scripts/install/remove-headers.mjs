// Removes the C++ headers that come with the runtime, 67 MB that nothing here compiles against. Runs after npm's installations.
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

try {
  const runtime = dirname(createRequire(import.meta.url).resolve('node/package.json'));
  const platform = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  rmSync(join(runtime, 'node_modules', platform, 'include'), { recursive: true, force: true });
} catch {
  // They take space and do no other harm.
}
