// A button in a row of a table; readers of screens hear which row it is of.
interface RowActionProps {
  /** As a verb. */
  readonly action: string;
  /** The name of the row. */
  readonly of: string;
  readonly onClick: () => void;
  readonly disabled?: boolean;
}

export function RowAction({ action, of: name, onClick, disabled = false }: RowActionProps) {
  return (
    <button
      type="button"
      class="small"
      aria-label={`${action} ${name}`}
      disabled={disabled}
      onClick={onClick}
    >
      {action}
    </button>
  );
}
