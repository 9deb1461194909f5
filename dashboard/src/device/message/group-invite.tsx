/** An invitation to a group, which only the phone can accept. */
import type { Message } from '../../api/message.ts';
import { eventTime } from '../../base/format.ts';
import { texts } from '../../base/texts.ts';
import { icons } from '../../ui/icons.tsx';
import { Part } from '../shown/part.tsx';

const words = texts.message.invite;

export const GroupInvite = ({ message: { groupInvite: invite } }: { readonly message: Message }) => {
  if (invite === null) return null;
  const { subject, group, expiresAt } = invite;
  const expired = expiresAt !== null && Date.parse(expiresAt) <= Date.now();
  return (
    <Part icon={icons.group} kind={words.title} title={subject ?? group}>
      {expiresAt !== null && (
        <span className="dim">{expired ? words.expired : words.expires(eventTime(expiresAt))}</span>
      )}
      {!expired && <span className="dim">{words.hint}</span>}
    </Part>
  );
};
