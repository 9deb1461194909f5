/** The network's two pages with its web client's current revision, and how to read them. */
import type { ReadPage } from '../../../domain/outbound.ts';
import { messageOf } from '../../../errors.ts';

/** The service worker of the web client; the root page is at `/`. */
export const realVersionUrl = 'https://web.whatsapp.com/sw.js';

const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/148.0.0.0 Safari/537.36';

/** Without both the network answers 400 (zapo `wa-version-fetcher.ts`, 2026-08). */
const workerHeaders = { 'user-agent': chrome, 'sec-fetch-site': 'none' };

/** As sent by a browser that opens the root page (whatsmeow `update.go`, 2026-08-21). */
const navigationHeaders = {
  ...workerHeaders,
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-user': '?1',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'accept-language': 'en-US,en;q=0.9',
};

const timeoutMs = 6_000;
const maxBytes = 2_097_152;

/** Ten digits since 2024; the user agent has 32 bits for it. */
export const isRevision = (value: number): boolean =>
  Number.isInteger(value) && value >= 1_000_000_000 && value <= 4_294_967_295;

/** Plain JSON, or JSON inside a string of a script. */
const pattern = /\\?"client_revision\\?"\s*:\s*(\d{1,20})(?!\d)/;

export const revisionOn = (page: string): number => {
  const digits = pattern.exec(page)?.[1];
  if (digits === undefined) {
    throw new Error(page.trim() === '' ? 'the page is empty' : 'the page has no client_revision');
  }
  const revision = Number(digits);
  if (!isRevision(revision)) throw new Error('the client_revision of the page is out of range');
  return revision;
};

const readPage = async (read: ReadPage, url: string, headers: Readonly<Record<string, string>>): Promise<number> => {
  const { status, text } = await read(url, { headers, maxBytes, timeoutMs });
  if (status !== 200) throw new Error(`the page was answered with HTTP ${status}`);
  return revisionOn(text);
};

/** Falls back to the root page. Throws a readable Error if neither has a revision. */
export const readRevision = async (read: ReadPage, workerUrl: string): Promise<number> => {
  try {
    return await readPage(read, workerUrl, workerHeaders);
  } catch (error) {
    const first = messageOf(error);
    return readPage(read, new URL('./', workerUrl).href, navigationHeaders).catch((again: unknown) => {
      const second = messageOf(again);
      throw new Error(second === first ? first : `${first}; of the root page: ${second}`, { cause: error });
    });
  }
};
