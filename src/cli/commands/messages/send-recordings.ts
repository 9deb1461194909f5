/** `handset send video`, `audio` and `sticker`. */
import { type Command, flagOption, textOption } from '../../command/command.ts';
import { sourceOf, workOf } from './media-source.ts';
import { send } from './sent.ts';
import { idempotencyOption } from './send-text.ts';

export const sendVideo: Command = {
  words: 'send video',
  summary: 'Send a video: a file, a URL, or "-" for standard input',
  positionals: ['device', 'to', 'video'],
  options: {
    caption: { type: 'string', help: 'caption of the video' },
    gif: { type: 'boolean', help: 'show it without sound, again and again' },
    ...idempotencyOption,
  },
  async run(context, given) {
    const source = await sourceOf(context, given, 'video');
    const content = { ...source, mediaCaption: textOption(given, 'caption'), gif: flagOption(given, 'gif') };
    await send(context, given, 'video', content, workOf(source));
  },
};

export const sendAudio: Command = {
  words: 'send audio',
  summary: 'Send audio or a voice message: a file, a URL, or "-" for standard input',
  positionals: ['device', 'to', 'audio'],
  options: { voice: { type: 'boolean', help: 'send it as a voice message' }, ...idempotencyOption },
  async run(context, given) {
    const source = await sourceOf(context, given, 'audio');
    await send(context, given, 'audio', { ...source, voice: flagOption(given, 'voice') }, workOf(source));
  },
};

export const sendSticker: Command = {
  words: 'send sticker',
  summary: 'Send a sticker: a file, a URL, or "-" for standard input',
  positionals: ['device', 'to', 'sticker'],
  options: { ...idempotencyOption },
  async run(context, given) {
    const source = await sourceOf(context, given, 'sticker');
    await send(context, given, 'sticker', source, workOf(source));
  },
};
