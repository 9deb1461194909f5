/** How a phone behaves: whether it is connected, which receipts it sends, who has blocked it. */
import type { Behaviour, PhoneContext } from './context.ts';
import { notFound } from '../../base/errors.ts';

export const changeBehaviour = ({ hub, behaviour, line, account }: PhoneContext, members: Partial<Behaviour>): void => {
  if (members.blockedBy !== undefined) {
    const accounts = new Map(
      [...behaviour.blockedBy, ...members.blockedBy].map((number) => [number, hub.findAccount(number)]),
    );
    for (const [number, other] of accounts) {
      if (other === null) throw notFound(`there is no phone ${number}`);
    }
    for (const [number, other] of accounts) hub.setBlocked(other!, account, members.blockedBy.includes(number));
  }
  Object.assign(behaviour, members);
  if (behaviour.online) line.connect();
  else line.disconnect();
};
