/** Errors of busy or failing file hosts. */
import { HandsetError } from '../../errors.ts';

/** RFC 9110, section 15.6; RFC 6585, section 4. */
export const isHostFailure = (status: number): boolean => status === 429 || status >= 500;

const maxRetrySeconds = 86_400;

const retrySeconds = (header: string | null | undefined): number | undefined => {
  const text = header?.trim() ?? '';
  const seconds = /^\d{1,10}$/.test(text)
    ? Number(text)
    : Math.ceil((Date.parse(text.slice(0, 64)) - Date.now()) / 1_000);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), maxRetrySeconds);
};

export const mediaHostFailed = (
  failed: 'Failed to send media message' | 'Failed to fetch the media',
  whose: 'the host of mediaUrl' | "the network's media host",
  status: number,
  retryAfter: string | null | undefined,
): HandsetError => {
  const retryAfterSeconds = retrySeconds(retryAfter);
  return new HandsetError('SendMediaFailed', `${failed}: ${whose} answered HTTP ${status}`, {
    reason: 'media_host_failed',
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
};
