// Labelled inputs.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  /** Why the value cannot be used. */
  readonly error?: string | undefined;
}

interface InputProps extends FieldProps {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly type?: 'text' | 'email' | 'password' | 'number';
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly autocomplete?: 'off' | 'username' | 'current-password';
  readonly autofocus?: boolean;
  readonly min?: string;
  readonly max?: string;
  readonly spellcheck?: boolean;
}

export function Input({ label, hint, error, value, onValue, type = 'text', ...rest }: InputProps) {
  const id = useId();
  return (
    <Frame {...{ id, label, hint, error }}>
      <input
        id={id}
        // Preact's types want a literal, although each of these is one.
        type={type as 'text'}
        value={value}
        aria-invalid={error !== undefined}
        aria-describedby={`${id}-note`}
        onInput={(event) => onValue(event.currentTarget.value)}
        {...rest}
      />
    </Frame>
  );
}

export function TextArea({
  label,
  hint,
  error,
  value,
  onValue,
  rows = 4,
  placeholder = '',
  isCode = false,
  onEnter,
}: FieldProps & {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly rows?: number;
  readonly placeholder?: string;
  readonly isCode?: boolean;
  /** Without it, Enter begins a line. */
  readonly onEnter?: (event: Event) => void;
}) {
  const id = useId();
  return (
    <Frame {...{ id, label, hint, error }}>
      <textarea
        id={id}
        class={isCode ? 'code' : ''}
        rows={rows}
        placeholder={placeholder}
        spellcheck={!isCode}
        value={value}
        aria-invalid={error !== undefined}
        aria-describedby={`${id}-note`}
        onInput={(event) => onValue(event.currentTarget.value)}
        onKeyDown={(event) => {
          // The Enter that ends a composition, as of Japanese, belongs to what is typed.
          if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) onEnter?.(event);
        }}
      />
    </Frame>
  );
}

export interface Choice {
  readonly value: string;
  readonly text: string;
}

export function Select({
  label,
  hint,
  value,
  choices,
  onValue,
}: FieldProps & {
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly onValue: (value: string) => void;
}) {
  const id = useId();
  return (
    <Frame {...{ id, label, hint, error: undefined }}>
      <select id={id} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value} selected={choice.value === value}>
            {choice.text}
          </option>
        ))}
      </select>
    </Frame>
  );
}

function Frame({
  id,
  label,
  hint,
  error,
  children,
}: {
  readonly id: string;
  readonly label: string;
  readonly hint: string | undefined;
  readonly error: string | undefined;
  readonly children: ComponentChildren;
}) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      <p id={`${id}-note`} class={error === undefined ? 'quiet' : 'field-error'}>
        {error ?? hint}
      </p>
    </div>
  );
}
