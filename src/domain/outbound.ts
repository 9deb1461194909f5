/** Port to outbound HTTP: time limits, size limits, no redirects, no private addresses. */
import { HandsetError } from '../errors.ts';

export interface PostAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly excerpt: string;
}

export interface FileAnswer {
  readonly url: string;
  readonly contentType: string | null;
  readonly contentDisposition: string | null;
}

export interface DownloadLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly accept?: string;
  readonly signal?: AbortSignal;
  readonly onAnswer?: (answer: FileAnswer) => void;
}

export interface Outbound {
  /** Throws InvalidRequest that names `member` if the URL is malformed or forbidden. Sends nothing. */
  check(url: string, member: string): Promise<void>;
  /** Normalizes a proxy URL for storage. Throws InvalidRequest, with nothing of the URL in its message. Sends nothing. */
  checkProxy(this: void, url: string): string;
  post(
    url: string,
    request: {
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string | Uint8Array;
      readonly timeoutMs: number;
    },
  ): Promise<PostAnswer>;
  /** Throws PayloadTooLarge above `maxBytes`, InvalidRequest for other problems, and the signal's reason. */
  download(url: string, limits: DownloadLimits): Promise<Uint8Array>;
  stream(url: string, limits: DownloadLimits): AsyncIterable<Uint8Array>;
}

export interface Page {
  readonly status: number;
  readonly text: string;
}

/** One request, without redirects. Throws a readable Error without a complete response of `maxBytes` in time, or for a forbidden address. */
export type ReadPage = (
  url: string,
  request: {
    readonly headers: Readonly<Record<string, string>>;
    readonly maxBytes: number;
    readonly timeoutMs: number;
  },
) => Promise<Page>;

export type QrRenderer = (text: string) => Promise<string>;

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
