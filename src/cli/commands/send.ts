/** `handset send …`: messages of every kind, from the contract. By hand is what has no one word: an album, a contact, several answers. */
import { basename } from 'node:path';
import { plainNumber } from '../../domain/typed-number.ts';
import { usageError } from '../../mcp/client.ts';
import {
  type Command,
  deviceId,
  flagOption,
  type Option,
  positional,
  textOption,
  textsOption,
} from '../command/command.ts';
import { callCommand } from '../command/generic.ts';
import { isFile, uploadedSource, workOf } from '../command/media.ts';

export const timeOptions: Readonly<Record<string, Option>> = {
  at: {
    type: 'string',
    help: 'send it at this time, within 90 days: 2026-11-27T09:00 in local time, or with a zone',
  },
  until: { type: 'string', help: 'with --at: how long to wait for the device if it is offline (default: 24 hours)' },
};

interface Sent {
  readonly messageId: string;
  readonly sendAt?: string;
}

export const sending = {
  options: timeOptions,
  work: workOf,
  done: ({ messageId, sendAt }: Sent) => [
    sendAt === undefined ? `Sent: ${messageId}` : `Scheduled for ${sendAt}: ${messageId}`,
  ],
};

const fromFile = (what: string): string => `Send ${what}: a file, a URL, or "-" for standard input`;

const sendDocument = callCommand('sendDocument', {
  ...sending,
  summary: fromFile('a file of any kind'),
  more(given) {
    const document = positional(given, 2);
    return textOption(given, 'name') === undefined && isFile(document) ? { fileName: basename(document) } : {};
  },
});

const sendAlbum = callCommand('sendAlbum', {
  ...sending,
  summary: 'Send images and videos as an album: files or URLs',
  options: {
    file: { type: 'string', multiple: true, help: 'an image or a video: a file or a URL; give it 2 to 30 times' },
    caption: { type: 'string', help: 'caption of the first one' },
    ...timeOptions,
  },
  async more(given, context) {
    const items: object[] = [];
    const files = textsOption(given, 'file') ?? [];
    if (files.length < 2 || files.length > 30) throw usageError('give --file 2 to 30 times');
    for (const [index, file] of files.entries()) {
      const mediaCaption = index === 0 ? textOption(given, 'caption') : undefined;
      items.push({ ...(await uploadedSource(context, deviceId(given), file)), mediaCaption });
    }
    return { items };
  },
});

const sendContact = callCommand('sendContact', {
  ...sending,
  options: { organization: { type: 'string', help: 'organization of the contact' }, ...timeOptions },
  more(given) {
    const number = plainNumber(positional(given, 3));
    if (!/^\d{8,15}$/.test(number))
      throw usageError(`<number> is a phone number with its country code; "${number}" is not`);
    const organization = textOption(given, 'organization');
    return { contacts: [{ name: positional(given, 2), numbers: [number], organization }] };
  },
});

const sendPoll = callCommand('sendPoll', {
  ...sending,
  options: {
    option: { type: 'string', multiple: true, help: 'an option; give it 2 to 12 times' },
    several: { type: 'boolean', help: 'let people choose several' },
    ...timeOptions,
  },
  more(given) {
    // Not split at commas, as other lists are: an option is a text.
    const options = textsOption(given, 'option') ?? [];
    if (options.length < 2 || options.length > 12) throw usageError('give --option 2 to 12 times');
    return { options, ...(flagOption(given, 'several') && { maxAnswers: options.length }) };
  },
});

const sendReply = callCommand('sendText', {
  ...sending,
  words: 'send reply',
  summary: 'Reply to a message of the chat with a text',
  positionals: ['device', 'to', 'quotedMessageId', 'message'],
});

export const sendCommands: readonly Command[] = [
  callCommand('sendText', { ...sending, summary: 'Send a text message ("-" reads standard input)' }),
  callCommand('sendMedia', { ...sending, summary: fromFile('an image') }),
  sendDocument,
  callCommand('sendVideo', { ...sending, summary: fromFile('a video') }),
  callCommand('sendAudio', { ...sending, summary: fromFile('audio or a voice message') }),
  sendAlbum,
  callCommand('sendSticker', { ...sending, summary: fromFile('a sticker') }),
  callCommand('sendLocation', sending),
  sendContact,
  sendPoll,
  sendReply,
];
