/** `handset limits` and `usage`. */
import { type Command, deviceId, queryOf } from '../command/command.ts';
import { fields, table } from '../terminal/output.ts';
import { usageError } from '../client/failure.ts';

interface Limits {
  readonly restrictedUntil: string | null;
  readonly reason: string | null;
  readonly newChats: {
    readonly used: number | null;
    readonly limit: number | null;
    readonly resetsAt: string | null;
  };
}

const chatsOf = ({ used, limit, resetsAt }: Limits['newChats']): string => {
  if (limit === null) return 'no limit is known';
  return `${used ?? '?'} of ${limit}${resetsAt === null ? '' : `, counted anew at ${resetsAt}`}`;
};

const limits: Command = {
  words: 'limits',
  summary: 'Show what restricts the account of a device',
  positionals: ['device'],
  async run({ client, out }, given) {
    const answer = await client().call<{ limits: Limits }>('GET', `/devices/${deviceId(given)}/limits`);
    out.value(answer);
    const { restrictedUntil, reason, newChats } = answer.limits;
    out.line(
      ...fields([
        ['Restricted', reason ?? 'no'],
        ['Until', restrictedUntil],
        ['New chats', chatsOf(newChats)],
      ]),
    );
  },
};

interface Usage {
  readonly from: string;
  readonly sent: number;
  readonly received: number;
  readonly failed: number;
  readonly deliveries: { readonly delivered: number; readonly pending: number; readonly failed: number };
  readonly failedPosts: number;
}

const headings = ['FROM', 'SENT', 'RECEIVED', 'UNSENT', 'DELIVERED', 'WAITING', 'UNDELIVERED', 'FAILED POSTS'];

const rowOf = ({ from, sent, received, failed, deliveries, failedPosts }: Usage): readonly string[] => [
  `${from.slice(0, 16).replace('T', ' ')}Z`,
  ...[sent, received, failed, deliveries.delivered, deliveries.pending, deliveries.failed, failedPosts].map(String),
];

const options = {
  by: { type: 'string', help: 'hour (24 of them otherwise) or day (30)' },
  since: { type: 'string', help: 'from this time on (RFC 3339)' },
  until: { type: 'string', help: 'up to this time (RFC 3339)' },
} as const;

const usage: Command = {
  words: 'usage',
  summary: 'Count messages and deliveries by the hour or the day, of a device or of all',
  positionals: ['device?'],
  options,
  async run({ client, out }, given) {
    const [device] = given.positionals;
    if (device !== undefined && !/^\d+$/.test(device)) throw usageError(`"${device}" is no device id`);
    const path = `${device === undefined ? '' : `/devices/${device}`}/usage${queryOf(given, Object.keys(options))}`;
    const answer = await client().call<{ usage: readonly Usage[] }>('GET', path);
    out.value(answer);
    out.line(...table(headings, answer.usage.map(rowOf)));
  },
};

export const usageCommands: readonly Command[] = [limits, usage];
