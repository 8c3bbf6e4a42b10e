// A secret that the server shows only once, to be copied now.
import type { ComponentChildren } from 'preact';
import { CopyButton } from './copy.tsx';
import { Dialog } from './dialog.tsx';

interface ShownOnceProps {
  readonly title: string;
  readonly secret: string;
  readonly onClose: () => void;
  /** What it is for. */
  readonly children?: ComponentChildren;
}

export function ShownOnce({ title, secret, onClose, children }: ShownOnceProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>Copy it now: it is shown only this once.</p>
      <p class="secret">
        <code class="break">{secret}</code> <CopyButton text={secret} />
      </p>
      {children}
      <div class="actions">
        <button type="button" class="main" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
