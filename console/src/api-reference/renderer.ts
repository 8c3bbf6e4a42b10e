// Loads the renderer of the API reference, a whole script that npm run build:renderer keeps in console/vendor.

/** The version is part of the address, so that browsers may keep the script for good. */
const ADDRESS = 'console/vendor/scalar-1.72.1.js';

/** The part of Scalar's options that this page sets. */
export interface RendererOptions {
  readonly content: object;
  readonly [option: string]: unknown;
}

interface Renderer {
  createApiReference(element: Element, options: RendererOptions): unknown;
}

declare global {
  interface Window {
    readonly Scalar?: Renderer;
  }
}

/** @throws Error when the script does not load */
export function loadRenderer(): Promise<Renderer> {
  const script = document.createElement('script');
  script.src = ADDRESS;
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error(`${ADDRESS} does not load`));
    script.onerror = fail;
    script.onload = () => (window.Scalar === undefined ? fail() : resolve(window.Scalar));
    document.head.append(script);
  });
}
