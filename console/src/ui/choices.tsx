// A few buttons of which one is chosen.

export interface ChoicesProps<Name extends string> {
  readonly label: string;
  readonly choices: readonly { readonly name: Name; readonly title: string }[];
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
}

export function Choices<Name extends string>({ label, choices, chosen, onChoose }: ChoicesProps<Name>) {
  return (
    <fieldset class="tabs" aria-label={label}>
      {choices.map(({ name, title }) => (
        <button key={name} type="button" aria-pressed={name === chosen} onClick={() => onChoose(name)}>
          {title}
        </button>
      ))}
    </fieldset>
  );
}
