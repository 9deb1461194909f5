/** Port to outbound HTTP: time limits, size limits, no redirects, no private addresses. Implemented by `src/outbound`. */

export interface PostAnswer {
  readonly status: number;
  /** Lower-case names; null for a success without a body. */
  readonly headers: Readonly<Record<string, string>> | null;
  /** The first bytes of the response, as text. */
  readonly excerpt: string;
}

export interface FileAnswer {
  /** The URL after all redirects. */
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
  /** Normalises a proxy URL for storage. Throws InvalidRequest, with nothing of the URL in its message. Sends nothing. */
  checkProxy(this: void, url: string): string;
  /** Posts and returns any response. Throws a readable Error if there is none (refused, timed out, forbidden address). */
  post(
    url: string,
    request: {
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string | Uint8Array;
      readonly timeoutMs: number;
    },
  ): Promise<PostAnswer>;
  /** Downloads `mediaUrl`. Throws PayloadTooLarge above `maxBytes`, InvalidRequest for other problems, and the reason of the signal. */
  download(url: string, limits: DownloadLimits): Promise<Uint8Array>;
  stream(url: string, limits: DownloadLimits): AsyncIterable<Uint8Array>;
}

export interface Page {
  readonly status: number;
  readonly text: string;
}

/**
 * Gets a page with one request, without following redirects. Throws a readable Error if there is no complete response in time, it is
 * larger than `maxBytes`, or the address is forbidden.
 */
export type ReadPage = (
  url: string,
  request: {
    readonly headers: Readonly<Record<string, string>>;
    readonly maxBytes: number;
    readonly timeoutMs: number;
  },
) => Promise<Page>;

/** Renders a QR as a PNG data URL (`data:image/png;base64,…`). */
export type QrRenderer = (text: string) => Promise<string>;
