// Chooses a namespace by its name, with the first ones of the index offered.
import { useId } from 'preact/hooks';
import { callIndex } from '../../api/call.ts';
import { may } from '../../api/session.ts';
import { useFollowing } from '../../ui/following.ts';
import { useResource } from '../../ui/resource.ts';

interface NamespacePage {
  readonly namespaces: readonly { readonly name: string; readonly record_count: number }[];
}

export interface NamespaceInputProps {
  readonly index: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

/** Reports a value when it is chosen or left, not at each letter. */
export function NamespaceInput({ index, value, onValue }: NamespaceInputProps) {
  const id = useId();
  // A link or the back button may change it.
  const [text, setText] = useFollowing(value, () => value);
  const mayList = index !== '' && may('data_plane::namespaces::read');
  const offered = useResource(mayList ? `namespaces ${index}` : '', async (signal) => {
    const { body } = await callIndex<NamespacePage>(index, 'GET', 'namespaces', { signal });
    return body.namespaces;
  });
  return (
    <div class="field">
      <label for={id}>Namespace</label>
      <input
        id={id}
        list={`${id}-list`}
        value={text}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={(event) => onValue(event.currentTarget.value.trim())}
      />
      <datalist id={`${id}-list`}>
        {offered.value?.map(({ name, record_count: records }) => (
          <option key={name} value={name}>
            {records} records
          </option>
        ))}
      </datalist>
    </div>
  );
}
