/** One message of the log: its author, its content, and what became of it. */
import type { Reaction, Message } from '../../api/message.ts';
import { texts } from '../../base/texts.ts';
import { useShown } from '../shown/shown.ts';
import { clockTime, fullTime } from '../../base/format.ts';
import { icons, Ticks } from '../../ui/icons.tsx';
import { MessageMenu } from '../actions/message-menu.tsx';
import { Content } from './content.tsx';
import { LabelChips } from '../shown/labels.tsx';
import { authorOf, tintOf } from '../shown/people.ts';
import { Receipts } from './receipts.tsx';

const Reactions = ({ reactions }: { readonly reactions: readonly Reaction[] }) => {
  const { nameOf } = useShown();
  if (reactions.length === 0) return null;
  return (
    <ul className="reactions" aria-label={texts.message.reactions}>
      {[...Map.groupBy(reactions, ({ reaction }) => reaction)].map(([emoji, those]) => {
        const names = those.map(({ from }) => nameOf(from)).join(', ');
        return (
          <li key={emoji} title={names}>
            <span className="emoji">{emoji}</span>
            {those.length > 1 && <span>{those.length}</span>}
            <span className="visually-hidden">{names}</span>
          </li>
        );
      })}
    </ul>
  );
};

const words = texts.message;

const Foot = ({ message }: { readonly message: Message }) => {
  const { deletedAt, pinned, editedAt, expiresInSeconds, timestamp, direction, isGroup, state, starred } = message;
  return (
    <span className="bubble-foot">
      {pinned === true && deletedAt === null && (
        <span className="with-icon">
          {icons.pin}
          {words.pinned}
        </span>
      )}
      {starred && deletedAt === null && (
        <span className="with-icon" title={words.starred}>
          {icons.star}
          <span className="visually-hidden">{words.starred}</span>
        </span>
      )}
      {editedAt !== null && deletedAt === null && <span title={fullTime(editedAt)}>{words.edited}</span>}
      {expiresInSeconds !== null && (
        <span className="with-icon" title={words.expires(expiresInSeconds)}>
          {icons.timer}
          <span className="visually-hidden">{words.expires(expiresInSeconds)}</span>
        </span>
      )}
      <time dateTime={timestamp} title={fullTime(timestamp)}>
        {clockTime(timestamp)}
      </time>
      {direction === 'out' && isGroup && <Receipts message={message} />}
      {direction === 'out' && !isGroup && <Ticks state={state} label={texts.chat.state[state]} />}
    </span>
  );
};

export const Bubble = ({ message }: { readonly message: Message }) => {
  const { nameOf } = useShown();
  const { id, isGroup, direction, deletedAt, state, reactions, labels } = message;
  return (
    <li className={`bubble ${direction}`} data-state={state} data-id={id} tabIndex={-1}>
      {isGroup && direction === 'in' && (
        <strong className={`author ${tintOf(authorOf(message))}`}>{nameOf(authorOf(message))}</strong>
      )}
      <Content message={message} />
      {deletedAt === null && <LabelChips ids={labels} />}
      <Foot message={message} />
      {deletedAt === null && <Reactions reactions={reactions} />}
      <MessageMenu message={message} />
    </li>
  );
};
