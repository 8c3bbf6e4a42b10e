// Copies a text to the clipboard, and says that it did.
import { useState } from 'preact/hooks';

const SHOWN_MS = 1_500;

export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [note, setNote] = useState('');
  const copy = async () => {
    setNote((await copied(text)) ? 'Copied' : 'Select and copy it by hand');
    setTimeout(() => setNote(''), SHOWN_MS);
  };
  return (
    <button type="button" class="small" onClick={copy} aria-live="polite">
      {note === '' ? label : note}
    </button>
  );
}

/** The clipboard exists only with TLS and on this very machine. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
