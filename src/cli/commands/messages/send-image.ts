/** `handset send image`: from a file, a URL or standard input. */
import { readFile } from 'node:fs/promises';
import { messageOf } from '../../../errors.ts';
import { type Command, type Context, deviceId, positional, textOption } from '../../command.ts';
import { CommandError } from '../../failure.ts';
import { bytesOf } from '../../terminal/output.ts';
import { recipientOf } from '../../recipient.ts';
import { idempotencyHeader, idempotencyHelp, idempotencyOption } from './send-text.ts';

const read = async (path: string): Promise<Buffer> => {
  try {
    return await readFile(path);
  } catch (error) {
    throw new CommandError(`the image cannot be read: ${messageOf(error)}`);
  }
};

const sourceOf = async (image: string, { readInput }: Context): Promise<Record<string, string>> => {
  if (/^https?:\/\//i.test(image)) return { mediaUrl: image };
  const bytes = image === '-' ? await readInput() : await read(image);
  return { mediaBase64: bytes.toString('base64') };
};

const workOf = ({ mediaBase64 }: Record<string, string>): string =>
  mediaBase64 === undefined ? 'Fetching and sending' : `Sending ${bytesOf(Math.floor((mediaBase64.length * 3) / 4))}`;

export const sendImage: Command = {
  words: 'send image',
  summary: 'Send an image: a file, a URL, or "-" for standard input',
  positionals: ['device', 'to', 'image'],
  options: { caption: { type: 'string' }, ...idempotencyOption },
  optionHelp: { caption: 'caption of the image', ...idempotencyHelp },
  async run(context, given) {
    const id = deviceId(given);
    const source = await sourceOf(positional(given, 2), context);
    const body = {
      ...recipientOf(positional(given, 1)),
      ...source,
      mediaCaption: textOption(given, 'caption'),
    };
    const headers = idempotencyHeader(textOption(given, 'idempotency-key'));
    const path = `/devices/${id}/messages/media`;
    using _ = context.out.progress(workOf(source));
    const sent = await context.client().call<{ messageId: string }>('POST', path, body, headers);
    context.out.line(`Sent: ${sent.messageId}`);
    context.out.value(sent);
  },
};
