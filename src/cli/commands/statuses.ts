/** `handset status …`. */
import { type Arguments, type Command, deviceId, positional, textOption } from '../command/command.ts';
import { callCommand, listed } from '../command/generic.ts';
import { usageError, type Answer, type Things } from '../../mcp/client.ts';
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

const people = (text: string): readonly string[] => text.split(',').map((one) => one.trim());

const audienceOf = (given: Arguments): unknown => {
  const [only, except] = [textOption(given, 'only'), textOption(given, 'except')];
  if (only !== undefined && except !== undefined) throw usageError('give one of --only and --except');
  if (only !== undefined) return { only: people(only) };
  if (except === undefined) return undefined;
  return except === 'nobody' ? 'contacts' : { except: people(except) };
};

const statusPost = callCommand('postStatus', {
  summary: 'Post a status: text, or image, video or voice with a file, a URL, or "-" for standard input',
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
  },
  async more(given, context) {
    const [type, content] = [positional(given, 1), positional(given, 2)];
    const source = type === 'text' ? { text: content } : await sourceOf(context, deviceId(given), content, type);
    return { ...source, audience: audienceOf(given) };
  },
  work: (members) => (members['type'] === 'text' ? 'Posting' : workOf(members)),
  done: ({ statusId, recipients }: Answer<'postStatus'>) => [`Posted to ${recipients}: ${statusId}`],
});

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
  summary: 'Like a status ("none" takes it back)',
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
