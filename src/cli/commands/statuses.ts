/** `handset status …`. */
import { type Arguments, type Command, deviceId, positional, textOption } from '../command/command.ts';
import { callCommand, listed } from '../command/generic.ts';
import { plainNumber } from '../../domain/typed-number.ts';
import { idempotencyHeader, usageError, type Things } from '../../mcp/client.ts';
import { sourceOf, workOf } from '../command/media.ts';

type Status = Things['StatusPost'];
type Viewer = Things['StatusViewer'];

const statusList = callCommand('listStatuses', {
  done: ({ statuses }: { readonly statuses: readonly Status[] }) =>
    listed(statuses, 'No statuses', {
      STATUS: ({ id }) => id,
      BY: ({ own, fromNumber, from }) => (own ? 'the account' : (fromNumber ?? from)),
      POSTED: ({ timestamp }) => timestamp,
      WHAT: ({ type, deletedAt }) => (deletedAt === null ? type : `${type}, deleted`),
      TEXT: ({ text }) => text,
    }),
});

const people = (text: string): readonly string[] =>
  text.split(',').map((one) => (one.includes('@') ? one.trim() : plainNumber(one)));

const audienceOf = (given: Arguments): unknown => {
  const [only, except] = [textOption(given, 'only'), textOption(given, 'except')];
  if (only !== undefined && except !== undefined) throw usageError('give one of --only and --except');
  if (only !== undefined) return { only: people(only) };
  if (except === undefined) return undefined;
  return except === 'nobody' ? 'contacts' : { except: people(except) };
};

const fontOf = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  if (!/^\d{1,2}$/.test(text)) throw usageError('--font is a number');
  return Number(text);
};

const types = ['text', 'image', 'video', 'voice'] as const;

const statusPost: Command = {
  words: 'status post',
  summary: 'Post a status: text, or image, video or voice with a file, a URL, or "-" for standard input',
  positionals: ['device', 'type', 'content'],
  options: {
    only: {
      type: 'string',
      value: 'people',
      help: 'only these people of the address book see it, separated by commas',
    },
    except: {
      type: 'string',
      value: 'people',
      help: 'these people do not see it, separated by commas; "nobody": all contacts see it',
    },
    caption: { type: 'string', help: 'caption of an image or a video' },
    background: { type: 'string', help: 'colour behind a text, like #1f7aec' },
    font: { type: 'string', help: 'number of the font of a text' },
    'idempotency-key': { type: 'string', help: 'post it only once, however often the command runs with this key' },
  },
  async run(context, given) {
    const { client, out } = context;
    const type = types.find((each) => each === positional(given, 1));
    if (type === undefined) throw usageError(`<type> is one of ${types.join(', ')}`);
    const source =
      type === 'text'
        ? { text: positional(given, 2) }
        : await sourceOf(context, deviceId(given), positional(given, 2), type);
    const body = {
      type,
      ...source,
      mediaCaption: textOption(given, 'caption'),
      background: textOption(given, 'background'),
      font: fontOf(textOption(given, 'font')),
      audience: audienceOf(given),
    };
    const headers = idempotencyHeader(textOption(given, 'idempotency-key'));
    using _ = out.progress(type === 'text' ? 'Posting' : workOf(source));
    const path = `/devices/${deviceId(given)}/status`;
    const posted = await client().call<{ statusId: string; recipients: number }>('POST', path, body, headers);
    out.line(`Posted to ${posted.recipients}: ${posted.statusId}`);
    out.value(posted);
  },
};

const statusViewers = callCommand('listStatusViewers', {
  done: ({ viewers }: { readonly viewers: readonly Viewer[] }) =>
    listed(viewers, 'Nobody has received it yet', {
      PERSON: ({ person }) => person.number ?? person.jid,
      DELIVERED: ({ deliveredAt }) => deliveredAt,
      VIEWED: ({ viewedAt }) => viewedAt,
      LIKE: ({ reaction }) => reaction,
    }),
});

const statusView = callCommand('viewStatus', { done: 'Its author is told that it was looked at' });

const statusReaction = callCommand('setStatusReaction', {
  summary: 'Like a status ("" takes it back)',
  positionals: ['device', 'statusId', 'emoji'],
  body: (given) => ({ reaction: positional(given, 2) || null }),
  done: 'Like set',
});

export const statusCommands: readonly Command[] = [
  statusPost,
  statusList,
  statusViewers,
  callCommand('getStatusMedia'),
  statusView,
  statusReaction,
  callCommand('deleteStatus'),
];
