/** `handset send document`, for files of every kind. */
import { basename } from 'node:path';
import { type Command, positional, textOption } from '../../command/command.ts';
import { isFile, sourceOf, workOf } from './media-source.ts';
import { send } from './sent.ts';
import { idempotencyOption } from './send-text.ts';

export const sendDocument: Command = {
  words: 'send document',
  summary: 'Send a file of any kind: a file, a URL, or "-" for standard input',
  positionals: ['device', 'to', 'document'],
  options: {
    caption: { type: 'string', help: 'caption of the document' },
    name: { type: 'string', help: 'name that the recipient sees; that of the file or of the URL if omitted' },
    type: { type: 'string', help: 'media type, such as application/pdf; recognised if omitted' },
    ...idempotencyOption,
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
    };
    await send(context, given, 'document', content, workOf(source));
  },
};
