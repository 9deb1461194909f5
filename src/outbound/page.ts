/** Reads one page: no redirects, a cap on what comes in and on what it unpacks to. */
import type { Dispatcher } from 'undici';
import type { Page } from '../domain/outbound.ts';
import type { HandsetError } from '../errors.ts';
import { collect, encodingOf } from './download.ts';

/** Throws HandsetError for what is wrong with the answer, anything else for what is wrong with the connection. */
export const fetchPage = async (
  agent: Dispatcher,
  { origin, pathname, search }: URL,
  headers: Readonly<Record<string, string>>,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Page> => {
  const request = { origin, path: `${pathname}${search}`, method: 'GET', signal } as const;
  const answer = await agent.request({ ...request, headers: { ...headers, 'accept-encoding': 'identity' } });
  const { statusCode: status, body } = answer;
  // Destroyed on every way out: what is not read is not waited for.
  body.on('error', () => undefined);
  try {
    if (status !== 200) return { status, text: '' };
    const bytes = await collect(body, encodingOf(answer.headers), maxBytes, 0);
    return { status, text: Buffer.from(bytes).toString('utf8') };
  } finally {
    body.destroy();
  }
};

/** The words for a page, where those of a download name its member. */
export const pageProblem = (error: HandsetError, maxBytes: number): string =>
  error.name === 'PayloadTooLarge'
    ? `the page is larger than ${Math.round(maxBytes / 1_048_576)} MB`
    : error.message.replace(/^mediaUrl/, 'the page');
