/** The webhooks of a device, or the account-wide ones. */
import { useEffect } from 'react';
import { useAccount } from '../account/account.tsx';
import type { AnyWebhook } from '../api/types.ts';
import type { Answer } from '../api/schemas.ts';
import { type Loaded, useDebounced, useLoad } from '../api/hooks.ts';

/** Time for the posts of an event. */
const postMs = 1000;
/** An endpoint may fail, or take a retry, long after the event. */
const healthMs = 15_000;

/** `scope`: the path above `/webhooks`. Loaded again as events come, since posting them is what changes the health of a webhook. */
export const useWebhooks = (scope: string): Loaded<readonly AnyWebhook[]> => {
  const { client, generation, subscribe } = useAccount();
  const loaded = useLoad(
    async () => (await client.get<Answer<'listWebhooks'>>(`${scope}/webhooks`)).webhooks.toReversed(),
    `${scope} ${generation}`,
  );
  const soon = useDebounced(loaded.reload, postMs, healthMs);
  const { reload } = loaded;
  useEffect(() => subscribe(soon), [subscribe, soon]);
  useEffect(() => {
    const timer = setInterval(reload, healthMs);
    return () => clearInterval(timer);
  }, [reload]);
  return loaded;
};
