// The head of a page or part, and the links to its parts.
import type { ComponentChildren } from 'preact';
import { hrefOf } from '../router.ts';

interface HeadProps {
  readonly title: ComponentChildren;
  /** Buttons beside the title. */
  readonly children?: ComponentChildren;
}

export function PageHead({ title, children }: HeadProps) {
  return (
    <div class="page-head">
      <h1>{title}</h1>
      {children}
    </div>
  );
}

export function PartHead({ title, children }: HeadProps) {
  return (
    <div class="page-head">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

interface SubNavProps {
  readonly label: string;
  readonly path: readonly string[];
  readonly tabs: readonly { readonly name: string; readonly title: string }[];
  readonly tab: string;
}

export function SubNav({ label, path, tabs, tab }: SubNavProps) {
  return (
    <nav class="sub-nav" aria-label={label}>
      {tabs.map(({ name, title }) => (
        <a key={name} href={hrefOf(path, { tab: name })} aria-current={name === tab ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}
