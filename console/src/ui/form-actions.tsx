// The buttons at the end of a form in a dialog: leave it, or send it.
interface FormActionsProps {
  /** What the form does, as a verb. */
  readonly action: string;
  readonly disabled: boolean;
  readonly onCancel: () => void;
  /** For what cannot be undone. */
  readonly isDangerous?: boolean;
}

export function FormActions({ action, disabled, onCancel, isDangerous = false }: FormActionsProps) {
  return (
    <div class="actions">
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
      <button type="submit" class={isDangerous ? 'danger' : 'main'} disabled={disabled}>
        {action}
      </button>
    </div>
  );
}
