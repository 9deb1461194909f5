/** `handset phone messages`: what a phone of the sandbox shows. */
import { type Command, type Context, flagOption, positional } from '../../command/command.ts';
import { paint } from '../../terminal/paint.ts';
import { askPhones, type PhoneMessage } from '../../command/phones.ts';

const waitMs = 20_000;
const firstMs = 3000;

const textOf = ({ image, text, type }: PhoneMessage): string =>
  image === null ? (text ?? `(${type})`) : `(image, ${image.width} × ${image.height}) ${image.caption ?? ''}`.trimEnd();

const print = ({ out }: Context, message: PhoneMessage): void => {
  out.value(message);
  const who = message.fromMe ? 'this phone' : message.from.split('@')[0]!;
  out.line(paint('faint', message.timestamp), `  ${who}: `, textOf(message));
};

export const phoneMessages: Command = {
  words: 'phone messages',
  summary: 'Print the messages of a sandbox phone',
  positionals: ['number'],
  options: { follow: { type: 'boolean', short: 'f', help: 'follow new messages until Ctrl-C' } },
  async run(context, given) {
    const path = `/phones/${positional(given, 0)}/messages`;
    const read = async (after: number, query = ''): Promise<number> => {
      const { messages } = await askPhones<{ messages: readonly PhoneMessage[] }>(
        context.phones(),
        'GET',
        `${path}?after=${after}${query}`,
      );
      for (const message of messages) print(context, message);
      return messages.at(-1)?.seq ?? after;
    };
    // What has just been sent to it may still be on its way.
    let last = await read(0, `&waitMs=${firstMs}`);
    if (last === 0) context.out.line('No messages yet');
    while (flagOption(given, 'follow')) last = await read(last, `&waitMs=${waitMs}`);
  },
};
