// "Copy as": what the page does, as TypeScript, Python and curl.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Choices } from './choices.tsx';
import { CopyButton } from './copy.tsx';
import { Dialog } from './dialog.tsx';
import type { Snippets } from './snippets.ts';

const LANGUAGES = [
  { name: 'typescript', title: 'TypeScript' },
  { name: 'python', title: 'Python' },
  { name: 'curl', title: 'curl' },
] as const;

export function CodeTabs({ snippets }: { readonly snippets: Snippets }) {
  const [language, setLanguage] = useState<keyof Snippets>('typescript');
  const text = snippets[language];
  return (
    <CodeBox text={text}>
      <Choices label="Language" choices={LANGUAGES} chosen={language} onChoose={setLanguage} />
    </CodeBox>
  );
}

/** Text to copy, with what is above it. */
export function CodeBox({ text, children }: { readonly text: string; readonly children: ComponentChildren }) {
  return (
    <div class="code-tabs">
      <div class="code-head">
        {children}
        <CopyButton text={text} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </div>
  );
}

export function CopyAs({ snippets }: { readonly snippets: () => Snippets }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="small" onClick={() => setOpen(true)}>
        Copy as code
      </button>
      {isOpen && (
        <Dialog title="As code" onClose={() => setOpen(false)} isWide>
          <CodeTabs snippets={snippets()} />
          <p class="quiet">
            Put an API key in place of YOUR_API_KEY. Keys are shown only once, so the console does not know
            yours.
          </p>
        </Dialog>
      )}
    </>
  );
}
