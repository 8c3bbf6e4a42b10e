// What of an index is in memory, and what on disk: shown, chosen, and left to the server again.
import { useState } from 'preact/hooks';
import { MEMORY_PROFILES, type MemoryProfile } from '../../../../src/domain/memory-profile.ts';
import { Select } from '../../ui/field.tsx';
import { bytes as bytesText } from '../../ui/format.ts';
import { type EditorProps, IndexSettingPart, SettingDialog } from './index-setting.tsx';

interface Memory {
  /** Null where the index has the server's default. */
  readonly profile: MemoryProfile | null;
  readonly in_force: MemoryProfile;
  /** Null while nothing of the index is in memory. */
  readonly bytes: { readonly memory: number; readonly disk: number } | null;
}

const CHOICES: Readonly<Record<MemoryProfile, string>> = {
  memory: 'All that searches compare in memory',
  disk: 'Links and a bit a component in memory, the rest on disk',
};

export function MemoryProfilePart({ name }: { readonly name: string }) {
  return (
    <IndexSettingPart<Memory>
      index={name}
      segment="memory"
      title="Memory"
      textOf={textOf}
      isSet={({ profile }) => profile !== null}
      actions={{
        set: 'Choose a memory profile',
        change: 'Change the memory profile',
        end: "Take the server's default",
      }}
      editor={Editor}
    />
  );
}

function Editor({ value, ...rest }: EditorProps<Memory>) {
  const [profile, setProfile] = useState<string>(value.in_force);
  return (
    <SettingDialog title="Memory" bodyOf={() => ({ profile })} {...rest}>
      <Select
        label="Memory profile"
        hint="The index answers while it moves; only one of 128 dimensions or more can be on disk"
        value={profile}
        choices={MEMORY_PROFILES.map((each) => ({ value: each, text: CHOICES[each] }))}
        onValue={setProfile}
      />
    </SettingDialog>
  );
}

function textOf({ profile, in_force: inForce, bytes }: Memory): string {
  const whose = profile === null ? "the server's default" : 'its own setting';
  const now =
    bytes === null
      ? 'Nothing of it is in memory at this moment.'
      : `It uses ${bytesText(bytes.memory)} of memory, and ${bytesText(bytes.disk)} on disk that need not be there.`;
  return `${CHOICES[inForce]}, by ${whose}. ${now}`;
}
