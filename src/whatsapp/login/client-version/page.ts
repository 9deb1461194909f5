/** The page on which the network tells the current revision of its web client, and how it is read. */
import type { ReadPage } from '../../../domain/outbound.ts';

/** The service worker of the network's web client (Baileys `fetchLatestWaWebVersion`, zapo `wa-version-fetcher.ts`, 2026-08). */
export const realVersionUrl = 'https://web.whatsapp.com/sw.js';

/** Without both of them the network answers 400 (Baileys #1883 and #1929, 2025-10). */
const headers = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/148.0.0.0 Safari/537.36',
  'sec-fetch-site': 'none',
};

/** For the whole page, its connection included. */
const timeoutMs = 10_000;
/** The page has some ten kilobytes. */
const maxBytes = 2_097_152;

/** Revisions have ten digits since 2024; the user agent has 32 bits for one. */
const plausible = { least: 1_000_000_000, most: 4_294_967_295 };

export const isRevision = (value: number): boolean =>
  Number.isInteger(value) && value >= plausible.least && value <= plausible.most;

/** JSON in a string of a script, or JSON as it is. */
const pattern = /\\?"client_revision\\?"\s*:\s*(\d{1,20})(?!\d)/;

/** Throws an Error in plain words when the page has no revision that can be one. */
export const revisionOn = (page: string): number => {
  const digits = pattern.exec(page)?.[1];
  if (digits === undefined) {
    throw new Error(page.trim() === '' ? 'the page is empty' : 'the page has no client_revision');
  }
  const revision = Number(digits);
  if (!isRevision(revision)) throw new Error('the client_revision of the page is out of range');
  return revision;
};

/** Throws an Error in plain words for everything that is no page with a revision. */
export const readRevision = async (read: ReadPage, url: string): Promise<number> => {
  const { status, text } = await read(url, { headers, maxBytes, timeoutMs });
  if (status !== 200) throw new Error(`the page was answered with HTTP ${status}`);
  return revisionOn(text);
};
