/**
 * Who received and viewed the account's statuses. One receipt reports many people, with the status id in `message_id` and each person's step
 * (whatsmeow #1270, 2026-09-20, live; those of groups have `key`, and one step for all).
 */
import type { SessionChanges, Report } from '../../domain/changes.ts';
import { type StatusChange, statusJid } from '../../domain/messages/statuses.ts';
import type { StatusStore } from '../../domain/stores.ts';
import type { BinaryNode } from '../library/nodes.ts';
import { isMe, maxReaders, type Me, type Peek, personOf } from '../identity/people.ts';
import { plainId, timeOf } from '../translate/parts/envelope.ts';

const childrenOf = ({ content }: BinaryNode, tag: string): readonly BinaryNode[] =>
  Array.isArray(content) ? content.filter((child) => child.tag === tag) : [];

interface Context {
  readonly me: Me;
  readonly peek: Peek;
  readonly now: number;
  readonly find: (id: string) => ReturnType<StatusStore['find']>;
  /** Whether views become events. */
  readonly isTold: boolean;
}

/** Changes of receipts about statuses; none for an unknown status. */
export const viewersIn = async (receipts: readonly BinaryNode[], context: Context): Promise<SessionChanges> => {
  const { me, peek, now, find, isTold } = context;
  const statuses: StatusChange[] = [];
  const facts: Report[] = [];
  for (const receipt of receipts) {
    if (receipt.attrs.from !== statusJid || receipt.attrs.class !== 'status') continue;
    for (const list of childrenOf(receipt, 'participants')) {
      const id = plainId(list.attrs['message_id'] ?? '');
      if ((await find(id))?.message.direction !== 'out') continue;
      for (const user of childrenOf(list, 'user').slice(0, maxReaders)) {
        const { jid, type } = user.attrs;
        if (jid === undefined || isMe(me, jid)) continue;
        const [person, at] = [personOf(peek, jid), timeOf(user, now)];
        if (type !== 'read') {
          statuses.push({ kind: 'seen', id, person, deliveredAt: at });
          continue;
        }
        statuses.push({ kind: 'seen', id, person, viewedAt: at });
        if (isTold) facts.push({ event: { type: 'status.viewed', data: { statusId: id, by: person } }, at });
      }
    }
  }
  return { statuses, facts };
};
