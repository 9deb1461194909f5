/** `handset limits`: what restricts the account of a device. */
import { type Command, deviceId } from '../../command/command.ts';
import { fields } from '../../terminal/output.ts';

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

export const limits: Command = {
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
