/** The port to the only way out by HTTP: deadlines, size caps, no redirects, no private addresses. `src/outbound` implements it. */

export interface PostAnswer {
  readonly status: number;
  /** Lower-case names; null for a success without a body. */
  readonly headers: Readonly<Record<string, string>> | null;
  /** The first bytes of the answer, as text. */
  readonly excerpt: string;
}

/** The facts about a file in the answer that it came in. */
export interface FileAnswer {
  /** The last URL, behind all redirects. */
  readonly url: string;
  /** Headers, as the other side has written them. */
  readonly contentType: string | null;
  readonly contentDisposition: string | null;
}

export interface DownloadLimits {
  readonly maxBytes: number;
  /** For all of it. */
  readonly timeoutMs: number;
  /** Types that are wanted, as the header `Accept` says them; images if omitted. */
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** Called once, before the first piece. */
  readonly onAnswer?: (answer: FileAnswer) => void;
}

export interface Outbound {
  /** Throws InvalidRequest, naming `member`, when the URL is malformed or may not be reached. Sends nothing. */
  check(url: string, member: string): Promise<void>;
  /** The URL of a device's proxy in the form in which it is stored. Throws InvalidRequest, with nothing of the URL in its text. Sends nothing. */
  checkProxy(this: void, url: string): string;
  /** Posts and gives any answer; throws an Error in plain words when there is none (refused, timed out, forbidden address). */
  post(
    url: string,
    request: {
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string | Uint8Array;
      readonly timeoutMs: number;
    },
  ): Promise<PostAnswer>;
  /** Downloads `mediaUrl`. Throws PayloadTooLarge over `maxBytes`, InvalidRequest for anything else that is wrong with it, and what the signal is aborted with. */
  download(url: string, limits: DownloadLimits): Promise<Uint8Array>;
  /** As `download`, piece by piece, for as long as they are read. */
  stream(url: string, limits: DownloadLimits): AsyncIterable<Uint8Array>;
}

export interface Page {
  readonly status: number;
  /** Empty unless the status is 200. */
  readonly text: string;
}

/**
 * Gets a page with one request, redirects not followed. Throws an Error in plain words when there is no whole answer in time, when it is
 * larger than `maxBytes`, or when the address may not be reached.
 */
export type ReadPage = (
  url: string,
  request: {
    readonly headers: Readonly<Record<string, string>>;
    readonly maxBytes: number;
    readonly timeoutMs: number;
  },
) => Promise<Page>;

/** Draws a QR: PNG as a data URL (`data:image/png;base64,…`). */
export type QrRenderer = (text: string) => Promise<string>;
