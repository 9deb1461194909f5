/** Media for commands that send: from a file, a URL or standard input. */
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { type Arguments, type Context, textOption } from './command.ts';
import { bytesOf } from '../terminal/output.ts';
import { CommandError, unreadable } from '../../mcp/client.ts';

/** Larger files are uploaded first. */
const maxBase64Bytes = 10_485_760;
const pictures: ReadonlySet<string> = new Set(['image', 'sticker']);

const sizeOf = async (path: string, what: string): Promise<number> => {
  try {
    return (await stat(path)).size;
  } catch (error) {
    throw unreadable(what, path, error);
  }
};

const read = (path: string, what: string): Promise<Buffer> =>
  readFile(path).catch((error: unknown) => {
    throw unreadable(what, path, error);
  });

const isUrl = (given: string): boolean => /^https?:\/\//i.test(given);

export const isFile = (given: string): boolean => given !== '-' && !isUrl(given);

const barWidth = 24;

const barOf = (sent: number, whole: number): string => {
  const part = whole === 0 ? 1 : Math.min(1, sent / whole);
  const full = Math.floor(part * barWidth);
  return `[${'█'.repeat(full)}${'─'.repeat(barWidth - full)}] ${Math.floor(part * 100)}% of ${bytesOf(whole)}`;
};

async function* counted(bytes: AsyncIterable<Uint8Array>, tell: (sent: number) => void): AsyncGenerator<Uint8Array> {
  let sent = 0;
  for await (const piece of bytes) {
    yield piece;
    sent += piece.length;
    tell(sent);
  }
}

async function* pieceOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  const pieceBytes = 65_536;
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

const upload = async (
  { client, out }: Pick<Context, 'client' | 'out'>,
  device: number,
  bytes: AsyncIterable<Uint8Array>,
  size: number,
): Promise<string> => {
  using progress = out.progress(`Uploading ${barOf(0, size)}`);
  const body = counted(bytes, (sent) => progress.tell(`Uploading ${barOf(sent, size)}`));
  const { file } = await client().upload<{ file: { id: string } }>(`/devices/${device}/files`, body);
  return file.id;
};

/** Reads the source into body members, uploading large files. `what` names the file in errors. */
export const sourceOf = async (
  context: Pick<Context, 'readInput' | 'client' | 'out'>,
  device: number,
  source: string,
  what: string,
): Promise<Record<string, string>> => {
  if (isUrl(source)) return { mediaUrl: source };
  const input = source === '-' ? await context.readInput() : null;
  const size = input?.length ?? (await sizeOf(source, what));
  if (size <= maxBase64Bytes) return { mediaBase64: (input ?? (await read(source, what))).toString('base64') };
  if (pictures.has(what)) throw new CommandError(`the ${what} is larger than 10 MB`);
  const bytes = input === null ? createReadStream(source) : pieceOf(input);
  return { fileId: await upload(context, device, bytes, size) };
};

/** One of several files, which together may be too many bytes for one request. */
export const uploadedSource = async (
  context: Pick<Context, 'client' | 'out'>,
  device: number,
  source: string,
): Promise<Record<string, string>> => {
  if (isUrl(source)) return { mediaUrl: source };
  const size = await sizeOf(source, 'file');
  return { fileId: await upload(context, device, createReadStream(source), size) };
};

/** The picture of an account or a group, beside its other members: a request of its own. */
export const withPicture = {
  options: { picture: { type: 'string', help: 'URL of a picture, or none' } },
  async more(given: Arguments, { client }: Pick<Context, 'client'>, path: string): Promise<object> {
    const url = textOption(given, 'picture');
    if (url === 'none') await client().call('DELETE', `${path}/picture`);
    else if (url !== undefined) await client().call('PUT', `${path}/picture`, { mediaUrl: url });
    return {};
  },
} as const;

export const workOf = ({ mediaUrl, mediaBase64 }: Readonly<Record<string, unknown>>): string => {
  if (typeof mediaBase64 === 'string') return `Sending ${bytesOf(Math.floor((mediaBase64.length * 3) / 4))}`;
  return mediaUrl === undefined ? 'Sending' : 'Fetching and sending';
};
