/** `handset send image`. */
import { type Command, textOption } from '../../command/command.ts';
import { sourceOf, workOf } from './media-source.ts';
import { send } from './sent.ts';
import { idempotencyOption } from './send-text.ts';

export const sendImage: Command = {
  words: 'send image',
  summary: 'Send an image: a file, a URL, or "-" for standard input',
  positionals: ['device', 'to', 'image'],
  options: { caption: { type: 'string', help: 'caption of the image' }, ...idempotencyOption },
  async run(context, given) {
    const source = await sourceOf(context, given, 'image');
    await send(context, given, 'media', { ...source, mediaCaption: textOption(given, 'caption') }, workOf(source));
  },
};
