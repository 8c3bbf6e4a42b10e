// The roles of an API key, of which any may be checked.
import { KEY_ROLE_CHOICES } from './roles.ts';

interface KeyRolesProps {
  readonly roles: readonly string[];
  readonly onRoles: (roles: readonly string[]) => void;
}

export function KeyRoles({ roles, onRoles }: KeyRolesProps) {
  return (
    <fieldset class="schema">
      <legend>Roles</legend>
      {KEY_ROLE_CHOICES.map(({ value, text }) => (
        <label class="check" key={value}>
          <input
            type="checkbox"
            checked={roles.includes(value)}
            onChange={({ currentTarget: { checked } }) =>
              onRoles(checked ? [...roles, value] : roles.filter((each) => each !== value))
            }
          />{' '}
          {text}
        </label>
      ))}
      {roles.length === 0 && <p class="quiet">A key without roles opens nothing.</p>}
    </fieldset>
  );
}
