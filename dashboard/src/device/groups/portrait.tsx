/** The profile picture of a person or group, or the first letter of the name. */
import { useEffect, useState } from 'react';
import { useAccount } from '../../account/account.tsx';
import { ApiError } from '../../api/client.ts';
import { useLoad } from '../../api/hooks.ts';
import { texts } from '../../base/texts.ts';

/** There is no picture, it is hidden, or the network does not provide it now. */
const refusals: ReadonlySet<number> = new Set([400, 404, 408]);

interface Props {
  readonly name: string;
  /** The path of the picture; null for none. */
  readonly path: string | null;
  /** Changes with the picture. */
  readonly version: string;
}

export const Portrait = ({ name, path, version }: Props) => {
  const { client } = useAccount();
  const [url, setUrl] = useState<string | null>(null);
  const picture = useLoad(
    async () => {
      try {
        return { blob: await (await client.raw(path ?? '')).blob() };
      } catch (error) {
        if (error instanceof ApiError && refusals.has(error.code)) return { blob: null };
        throw error;
      }
    },
    path === null ? null : `${path} ${version}`,
  );
  const blob = path === null ? null : (picture.value?.blob ?? null);
  useEffect(() => {
    if (blob === null) return setUrl(null);
    const made = URL.createObjectURL(new Blob([blob], { type: 'image/jpeg' }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  if (url !== null) return <img className="portrait" src={url} alt={texts.inbox.picture(name)} />;
  return (
    <span className="portrait" aria-hidden="true">
      {name.match(/[\p{L}\p{N}]/u)?.[0].toUpperCase() ?? '?'}
    </span>
  );
};
