// The styles of the /docs page, light and dark.
import { Markup } from './html.ts';

export const PAGE_STYLE = new Markup(`
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --link: #0a6c50; }
@media (prefers-color-scheme: dark) { :root { --link: #5fd3ae; } }
* { box-sizing: border-box; }
body { margin: 0; display: flex; font: 15px/1.5 system-ui, sans-serif; }
nav { position: sticky; top: 0; flex: 0 0 17rem; height: 100vh; overflow: auto; padding: 1rem;
  border-right: 1px solid var(--line); }
nav h2 { font-size: .8rem; text-transform: uppercase; letter-spacing: .05em; }
nav ul { list-style: none; margin: 0; padding: 0; }
main { flex: 1; min-width: 0; max-width: 60rem; padding: 1rem 2rem 4rem; }
section { border-top: 1px solid var(--line); margin-top: 2rem; }
h4 { margin: 1rem 0 .3rem; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
code { font: .9em ui-monospace, monospace; background: var(--soft); padding: .1em .3em; border-radius: 3px; }
table { border-collapse: collapse; width: 100%; }
td { border-top: 1px solid var(--line); padding: .3rem .6rem .3rem 0; vertical-align: top; overflow-wrap: anywhere; }
td:first-child { min-width: 13rem; }
th { text-align: left; padding: .6rem 0 .3rem; border-top: 1px solid var(--line); }
pre { background: var(--soft); padding: .6rem; overflow: auto; }
i { opacity: .7; font-size: .85em; }
summary { cursor: pointer; margin: 1rem 0 .3rem; font-weight: bold; }
.address b { display: inline-block; min-width: 4.5em; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; } main { padding: 1rem; } }
`);
