/** The webhooks of a device, or the account-wide ones. */
import { useAccount } from '../account.tsx';
import type { AnyWebhook } from '../api/types.ts';
import { ApiError } from '../api/client.ts';
import { type Loaded, useLoad } from '../hooks.ts';

/** `scope`: the path above `/webhooks`. */
export const useWebhooks = (scope: string): Loaded<readonly AnyWebhook[]> => {
  const { client } = useAccount();
  return useLoad(async () => {
    try {
      return (await client.get<{ webhooks: readonly AnyWebhook[] }>(`${scope}/webhooks`)).webhooks;
    } catch (error) {
      // A service of an earlier release, with one webhook a device.
      if (error instanceof ApiError && error.code === 404) return [];
      throw error;
    }
  }, scope);
};
