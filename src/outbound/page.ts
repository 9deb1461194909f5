/** Reads a page: no redirects, and limits on received and unpacked bytes. */
import type { Dispatcher } from 'undici';
import type { Page } from '../domain/outbound.ts';
import type { HandsetError } from '../errors.ts';
import { collect, encodingOf } from './download.ts';

/** Throws HandsetError for problems of the response, other errors for problems of the connection. */
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
  // Destroyed in any case, so that an unread body does not keep the connection.
  body.on('error', () => undefined);
  try {
    if (status !== 200) return { status, text: '' };
    const bytes = await collect(body, encodingOf(answer.headers), maxBytes, 0);
    return { status, text: Buffer.from(bytes).toString('utf8') };
  } finally {
    body.destroy();
  }
};

/** Message about a page, where that of a download names its field. */
export const pageProblem = (error: HandsetError, maxBytes: number): string =>
  error.name === 'PayloadTooLarge'
    ? `the page is larger than ${Math.round(maxBytes / 1_048_576)} MB`
    : error.message.replace(/^mediaUrl/, 'the page');
