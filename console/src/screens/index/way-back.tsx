// What a dialog that deletes records says of the way back: there is one where the server keeps the history of the index.
import { call } from '../../api/call.ts';
import { may } from '../../api/session.ts';
import type { Index } from '../../api/types.ts';
import { useResource } from '../../ui/resource.ts';

interface WayBackProps {
  readonly index: Index;
  readonly isOne?: boolean;
}

/** Promises nothing until the server has told that it keeps history. */
export function WayBack({ index: { name }, isOne = false }: WayBackProps) {
  const path = `indexes/${encodeURIComponent(name)}/history`;
  const key = may('data_plane::vectors::read') ? `way back ${path}` : '';
  const history = useResource(key, (signal) => call<{ readonly enabled: boolean }>('GET', path, { signal }));
  if (history.value?.enabled !== true) return <>This cannot be undone.</>;
  return isOne ? (
    <>History brings it back while the server keeps it.</>
  ) : (
    <>History brings them back while the server keeps them.</>
  );
}
