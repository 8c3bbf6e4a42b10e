// Finds modules beside the one that imports them without asking the file system: nearly all of a thread's modules.
import { registerHooks } from 'node:module';

const OWN = /^\.\.?\/[^?#%]+\.ts$/;
const OF_PACKAGES = /^\.\.?\/[^?#%]+\.js$/;

/**
 * Lets the calling thread resolve relative imports of `.ts` and `.js` files by their address alone. Node also looks for
 * the file, for symbolic links on its way, and for the package.json above it: three tenths of the processor time of a
 * start (docs/decisions/079-health-and-starts.md). A file that is not there fails when it is read.
 */
export function resolveByAddress(): void {
  registerHooks({
    resolve: (specifier, context, next) => {
      const { parentURL, conditions } = context;
      if (parentURL === undefined || !conditions.includes('import')) return next(specifier, context);
      const format = OWN.test(specifier) ? 'module-typescript' : undefined;
      if (format === undefined && !OF_PACKAGES.test(specifier)) return next(specifier, context);
      return { url: new URL(specifier, parentURL).href, format, shortCircuit: true };
    },
  });
}
