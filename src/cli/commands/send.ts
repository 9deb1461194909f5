/** `handset send …`: messages of every kind. */
import {
  type Arguments,
  type Command,
  deviceId,
  flagOption,
  listOption,
  positional,
  textOption,
  textsOption,
} from '../command/command.ts';
import { send, sourceOf, uploadedSource, workOf, isFile } from './sending.ts';
import { basename } from 'node:path';
import { usageError } from '../../mcp/client.ts';

const idempotencyOption = {
  'idempotency-key': { type: 'string', help: 'send only once, however often the command runs with this key' },
} as const;

export const sendOptions = {
  at: {
    type: 'string',
    help: 'send it at this time, within 90 days: 2026-11-27T09:00 in local time, or with a zone',
  },
  until: { type: 'string', help: 'with --at: how long to wait for the device if it is offline (default: 24 hours)' },
  ...idempotencyOption,
} as const;

const allOption = {
  'mention-all': { type: 'boolean', help: 'mention everybody in the group; the text must contain @all' },
} as const;

const allIn = (given: Arguments) => (flagOption(given, 'mention-all') ? { mentionAll: true } : {});

const onceOption = { 'view-once': { type: 'boolean', help: 'let the recipient open it once' } } as const;

const onceIn = (given: Arguments) => (flagOption(given, 'view-once') ? { viewOnce: true } : {});

const sendText: Command = {
  words: 'send text',
  summary: 'Send a text message ("-" reads standard input)',
  positionals: ['device', 'to', 'message'],
  options: {
    'link-preview': { type: 'boolean', help: 'add a preview of the first link' },
    mention: {
      type: 'string',
      multiple: true,
      help: 'mention this person, whose number stands in the text as @4915112345678; any number of them',
    },
    ...allOption,
    ...sendOptions,
  },
  async run(context, given) {
    const text = positional(given, 2);
    const message = text === '-' ? (await context.readInput()).toString('utf8').replace(/\n$/, '') : text;
    const preview = flagOption(given, 'link-preview') ? { linkPreview: true } : {};
    const mentions = listOption(given, 'mention');
    await send(context, given, 'text', { message, mentions, ...preview, ...allIn(given) });
  },
};

const sendImage: Command = {
  words: 'send image',
  summary: 'Send an image: a file, a URL, or "-" for standard input',
  positionals: ['device', 'to', 'image'],
  options: { caption: { type: 'string', help: 'caption of the image' }, ...onceOption, ...allOption, ...sendOptions },
  async run(context, given) {
    const source = await sourceOf(context, given, 'image');
    const content = { ...source, mediaCaption: textOption(given, 'caption'), ...onceIn(given), ...allIn(given) };
    await send(context, given, 'media', content, workOf(source));
  },
};

const sendDocument: Command = {
  words: 'send document',
  summary: 'Send a file of any kind: a file, a URL, or "-" for standard input',
  positionals: ['device', 'to', 'document'],
  options: {
    caption: { type: 'string', help: 'caption of the document' },
    name: { type: 'string', help: 'name that the recipient sees (default: the name of the file or in the URL)' },
    type: { type: 'string', help: 'media type, such as application/pdf (default: recognised from the file)' },
    ...allOption,
    ...sendOptions,
  },
  async run(context, given) {
    const document = positional(given, 2);
    const source = await sourceOf(context, given, 'document');
    const fileName = textOption(given, 'name') ?? (isFile(document) ? basename(document) : undefined);
    const content = {
      ...source,
      fileName,
      mimetype: textOption(given, 'type'),
      mediaCaption: textOption(given, 'caption'),
      ...allIn(given),
    };
    await send(context, given, 'document', content, workOf(source));
  },
};

const sendVideo: Command = {
  words: 'send video',
  summary: 'Send a video: a file, a URL, or "-" for standard input',
  positionals: ['device', 'to', 'video'],
  options: {
    caption: { type: 'string', help: 'caption of the video' },
    gif: { type: 'boolean', help: 'play it without sound, in a loop' },
    note: { type: 'boolean', help: 'send it as a video note: round, at most 60 seconds' },
    ...onceOption,
    ...allOption,
    ...sendOptions,
  },
  async run(context, given) {
    const source = await sourceOf(context, given, 'video');
    const kind = { gif: flagOption(given, 'gif'), ...(flagOption(given, 'note') && { note: true }) };
    const content = {
      ...source,
      mediaCaption: textOption(given, 'caption'),
      ...kind,
      ...onceIn(given),
      ...allIn(given),
    };
    await send(context, given, 'video', content, workOf(source));
  },
};

const sendAudio: Command = {
  words: 'send audio',
  summary: 'Send audio or a voice message: a file, a URL, or "-" for standard input',
  positionals: ['device', 'to', 'audio'],
  options: { voice: { type: 'boolean', help: 'send it as a voice message' }, ...onceOption, ...sendOptions },
  async run(context, given) {
    const source = await sourceOf(context, given, 'audio');
    const content = { ...source, voice: flagOption(given, 'voice'), ...onceIn(given) };
    await send(context, given, 'audio', content, workOf(source));
  },
};

const sendAlbum: Command = {
  words: 'send album',
  summary: 'Send images and videos as an album: files or URLs',
  positionals: ['device', 'to'],
  options: {
    file: { type: 'string', multiple: true, help: 'an image or a video: a file or a URL; give it 2 to 30 times' },
    caption: { type: 'string', help: 'caption of the first one' },
    ...sendOptions,
  },
  async run(context, given) {
    const items: object[] = [];
    for (const [index, file] of (textsOption(given, 'file') ?? []).entries()) {
      const mediaCaption = index === 0 ? textOption(given, 'caption') : undefined;
      items.push({ ...(await uploadedSource(context, deviceId(given), file)), mediaCaption });
    }
    await send(context, given, 'album', { items });
  },
};

const sendSticker: Command = {
  words: 'send sticker',
  summary: 'Send a sticker: a file, a URL, or "-" for standard input',
  positionals: ['device', 'to', 'sticker'],
  options: { ...sendOptions },
  async run(context, given) {
    const source = await sourceOf(context, given, 'sticker');
    await send(context, given, 'sticker', source, workOf(source));
  },
};

const numberAt = (text: string, name: string): number => {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw usageError(`${name} is a number; "${text}" is not`);
  return value;
};

const sendLocation: Command = {
  words: 'send location',
  summary: 'Send a location',
  positionals: ['device', 'to', 'latitude', 'longitude'],
  options: {
    name: { type: 'string', help: 'name of the place' },
    address: { type: 'string', help: 'address of the place' },
    ...sendOptions,
  },
  run: (context, given) =>
    send(context, given, 'location', {
      latitude: numberAt(positional(given, 2), 'latitude'),
      longitude: numberAt(positional(given, 3), 'longitude'),
      name: textOption(given, 'name'),
      address: textOption(given, 'address'),
    }),
};

const sendContact: Command = {
  words: 'send contact',
  summary: 'Send a contact',
  positionals: ['device', 'to', 'name', 'number'],
  options: { organization: { type: 'string', help: 'organization of the contact' }, ...sendOptions },
  run: (context, given) => {
    const numbers = [positional(given, 3).replace(/\D/g, '')];
    const organization = textOption(given, 'organization');
    return send(context, given, 'contact', { contacts: [{ name: positional(given, 2), numbers, organization }] });
  },
};

const sendPoll: Command = {
  words: 'send poll',
  summary: 'Send a poll',
  positionals: ['device', 'to', 'question'],
  options: {
    option: { type: 'string', multiple: true, help: 'an answer to choose; give it 2 to 12 times' },
    several: { type: 'boolean', help: 'let people choose several' },
    ...sendOptions,
  },
  run: (context, given) => {
    const options = textsOption(given, 'option') ?? [];
    const maxAnswers = flagOption(given, 'several') ? Math.max(1, options.length) : 1;
    return send(context, given, 'poll', { question: positional(given, 2), options, maxAnswers });
  },
};

const sendReply: Command = {
  words: 'send reply',
  summary: 'Reply to a message of the chat with a text',
  positionals: ['device', 'to', 'messageId', 'message'],
  options: sendOptions,
  run: (context, given) =>
    send(context, given, 'text', { message: positional(given, 3), quotedMessageId: positional(given, 2) }),
};

export const sendCommands: readonly Command[] = [
  sendText,
  sendImage,
  sendDocument,
  sendVideo,
  sendAudio,
  sendAlbum,
  sendSticker,
  sendLocation,
  sendContact,
  sendPoll,
  sendReply,
];
