/** The reactions to a message: each emoji with its number and names. */
import type { Reaction } from '../../api/message.ts';
import { texts } from '../../base/texts.ts';
import { useShown } from '../shown/shown.ts';

export const Reactions = ({ reactions }: { readonly reactions: readonly Reaction[] }) => {
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
