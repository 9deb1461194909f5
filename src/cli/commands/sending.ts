/** What sending commands have in common: the request, and media from a file, a URL or standard input. */
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { type Arguments, type Context, deviceId, positional, textOption } from '../command/command.ts';
import { CommandError, unreadable } from '../client/failure.ts';
import { bytesOf } from '../terminal/output.ts';
import { recipientOf } from '../command/people.ts';
import { idempotencyHeader } from '../client/client.ts';

/** Larger files are uploaded first. */
const maxBase64Bytes = 10_485_760;
/** Kinds that cannot be uploaded. */
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

/** True for a local file. */
export const isFile = (given: string): boolean => given !== '-' && !isUrl(given);

const barWidth = 24;

/** For example `[████████████────────────] 50% of 20 MB`. */
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

/** Reads the third positional into body fields. Large files are uploaded. `what` names the file in errors. */
export const sourceOf = async (
  context: Pick<Context, 'readInput' | 'client' | 'out'>,
  given: Arguments,
  what: string,
): Promise<Record<string, string>> => {
  const source = positional(given, 2);
  if (isUrl(source)) return { mediaUrl: source };
  const input = source === '-' ? await context.readInput() : null;
  const size = input?.length ?? (await sizeOf(source, what));
  if (size <= maxBase64Bytes) return { mediaBase64: (input ?? (await read(source, what))).toString('base64') };
  if (pictures.has(what)) throw new CommandError(`the ${what} is larger than 10 MB`);
  const bytes = input === null ? createReadStream(source) : pieceOf(input);
  return { fileId: await upload(context, deviceId(given), bytes, size) };
};

export const workOf = ({ mediaUrl, mediaBase64 }: Record<string, string>): string => {
  if (mediaBase64 !== undefined) return `Sending ${bytesOf(Math.floor((mediaBase64.length * 3) / 4))}`;
  return mediaUrl === undefined ? 'Sending' : 'Fetching and sending';
};

export const post = async (
  { client, out }: Context,
  given: Arguments,
  path: string,
  body: Readonly<Record<string, unknown>>,
  work = 'Sending',
): Promise<void> => {
  const headers = idempotencyHeader(textOption(given, 'idempotency-key'));
  using _ = out.progress(work);
  const whole = `/devices/${deviceId(given)}/messages/${path}`;
  const sent = await client().call<{ messageId: string }>('POST', whole, body, headers);
  out.line(`Sent: ${sent.messageId}`);
  out.value(sent);
};

export const send = (
  context: Context,
  given: Arguments,
  kind: string,
  content: Readonly<Record<string, unknown>>,
  work?: string,
): Promise<void> => post(context, given, kind, { ...recipientOf(positional(given, 1)), ...content }, work);

export const change = async (
  { client, out }: Context,
  given: Arguments,
  method: 'PUT' | 'DELETE',
  what: string,
  body?: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const path = `/devices/${deviceId(given)}/messages/${encodeURIComponent(positional(given, 1))}${what}`;
  const headers = idempotencyHeader(textOption(given, 'idempotency-key'));
  using _ = out.progress('Sending');
  const answer = await client().call<{ status: { message: string } }>(method, path, body, headers);
  out.line(answer.status.message);
  out.value(answer);
};
