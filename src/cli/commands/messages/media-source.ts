/** Files that commands send: from a file, a URL or standard input. */
import { readFile, stat } from 'node:fs/promises';
import type { Context } from '../../command.ts';
import { CommandError, unreadable } from '../../failure.ts';
import { bytesOf } from '../../terminal/output.ts';

/** The service takes more by URL only. */
const maxBytes = 10_485_760;

const read = async (path: string, what: string): Promise<Buffer> => {
  try {
    if ((await stat(path)).size <= maxBytes) return await readFile(path);
  } catch (error) {
    throw unreadable(what, path, error);
  }
  throw new CommandError(`the ${what} is larger than 10 MB; larger ones are sent by URL`);
};

const isUrl = (given: string): boolean => /^https?:\/\//i.test(given);

/** True for a file of this machine, which has a name. */
export const isFile = (given: string): boolean => given !== '-' && !isUrl(given);

/** The members of the body; `what`: the file, as errors call it. */
export const sourceOf = async (
  given: string,
  what: string,
  { readInput }: Pick<Context, 'readInput'>,
): Promise<Record<string, string>> => {
  if (isUrl(given)) return { mediaUrl: given };
  const bytes = given === '-' ? await readInput() : await read(given, what);
  return { mediaBase64: bytes.toString('base64') };
};

export const workOf = ({ mediaBase64 }: Record<string, string>): string =>
  mediaBase64 === undefined ? 'Fetching and sending' : `Sending ${bytesOf(Math.floor((mediaBase64.length * 3) / 4))}`;
