// How the console is bundled: relative addresses, so that it also works below a path of a proxy.
import { defineConfig } from 'vite';

export default defineConfig({
  base: './',
  build: {
    target: 'es2022',
    rolldownOptions: {
      input: ['index.html', 'docs.html'],
      // Requests cost more than the few bytes of a control that the first page does not show.
      output: { codeSplitting: { groups: [{ name: 'ui', test: /console\/src\/ui\// }] } },
    },
    assetsDir: 'console/assets',
    // An inlined asset would need data: in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
});
