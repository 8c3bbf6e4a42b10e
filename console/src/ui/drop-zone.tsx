// A place to drop files, which is a button to choose them, too.
import { useId, useState } from 'preact/hooks';

interface DropZoneProps {
  readonly label: string;
  readonly hint: string;
  /** As of an input of files. */
  readonly accept: string;
  readonly isMultiple?: boolean;
  readonly disabled?: boolean;
  readonly onFiles: (files: readonly File[]) => void;
}

export function DropZone({
  label,
  hint,
  accept,
  isMultiple = false,
  disabled = false,
  onFiles,
}: DropZoneProps) {
  const id = useId();
  const [isOver, setOver] = useState(false);
  return (
    <section
      class={isOver ? 'drop over' : 'drop'}
      aria-label={label}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(!disabled);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (!disabled) onFiles([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <label for={id}>{label}</label>
      <input
        id={id}
        type="file"
        accept={accept}
        multiple={isMultiple}
        disabled={disabled}
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])]);
          // The same file can be chosen again.
          event.currentTarget.value = '';
        }}
      />
      <p class="quiet">{hint}</p>
    </section>
  );
}
