/** The list of all groups of the account, also of those in which nobody has written yet. */
import { useAccount } from '../../account/account.tsx';
import type { Answer } from '../../api/schemas.ts';
import { useLoad } from '../../api/hooks.ts';
import { texts } from '../../base/texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Await, Empty } from '../../ui/parts.tsx';
import type { GroupDialogProps } from './group-menu.tsx';

const words = texts.groups;

export const AllGroups = ({ device, choose, close }: GroupDialogProps) => {
  const { client } = useAccount();
  const path = `/v1/devices/${device.id}/groups?limit=1000`;
  const groups = useLoad(async () => (await client.get<Answer<'listGroups'>>(path)).groups, path);
  return (
    <Dialog title={words.all} close={close}>
      <Await of={groups}>
        {(all) =>
          all.length === 0 ? (
            <Empty title={words.none} />
          ) : (
            <ul className="members" aria-label={words.all}>
              {all
                .toSorted((one, other) => one.subject.localeCompare(other.subject))
                .map(({ jid, subject, members }) => (
                  <li key={jid}>
                    <button
                      type="button"
                      className="link member"
                      onClick={() => {
                        close();
                        choose(jid);
                      }}
                    >
                      {subject}
                    </button>
                    <span className="dim">{words.count(members.length)}</span>
                  </li>
                ))}
            </ul>
          )
        }
      </Await>
    </Dialog>
  );
};
