// Keeps the test runner from following every promise, which makes what awaits a lot three times as slow. It does so only
// to tell which test a lost failure came from; without it, one fails its file.
import { createRequire } from 'node:module';

// What `import` gives cannot be changed.
const hooks = createRequire(import.meta.url)('node:async_hooks') as typeof import('node:async_hooks');
const { createHook } = hooks;

Object.assign(hooks, {
  createHook: ((callbacks) => createHook({ ...callbacks, trackPromises: false })) as typeof createHook,
});
// It takes `createHook` when it is loaded, and nothing may have loaded it before.
await import('node:test');
Object.assign(hooks, { createHook });
