/** The card of a group: what it is, its members, its settings, and the ways into it. */
import { useState } from 'react';
import { dateOf, fullTime } from '../../base/format.ts';
import { texts } from '../../base/texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Choice } from '../../ui/parts.tsx';
import { Portrait } from './portrait.tsx';
import { GroupSettings } from './group-settings.tsx';
import { Joining } from './joining.tsx';
import { type GroupPart, Members } from './members.tsx';
import { groupPath, useContactNames } from './use-group.ts';

const words = texts.groups;

const parts = ['members', 'settings', 'joining'] as const;
type Part = (typeof parts)[number];

const About = ({ device, known: { group }, nameOf }: GroupPart) => (
  <div className="card-of">
    <Portrait name={group.subject} path={`${groupPath(device, group.jid)}/picture`} version="" />
    <div className="stack">
      {group.description !== null && <p className="group-description">{group.description}</p>}
      <p className="hint">
        {words.count(group.members.length)}
        {group.createdAt !== null && (
          <>
            {' · '}
            <time dateTime={group.createdAt} title={fullTime(group.createdAt)}>
              {words.made(dateOf(group.createdAt), group.owner === null ? null : nameOf(group.owner))}
            </time>
          </>
        )}
        {group.community !== null && ` · ${words.community[group.community.role]}`}
      </p>
    </div>
  </div>
);

export const GroupCard = ({ close, ...given }: GroupPart & { readonly close: () => void }) => {
  const nameOf = useContactNames(given.device, given.nameOf, true);
  const part = { ...given, nameOf };
  const [shown, show] = useState<Part>('members');
  return (
    <Dialog title={part.known.group.subject} close={close}>
      <About {...part} />
      <div className="row">
        <Choice label={words.parts} value={shown} options={parts.map((one) => [one, words.part[one]])} choose={show} />
      </div>
      {shown === 'members' && <Members {...part} />}
      {shown === 'settings' && <GroupSettings {...part} />}
      {shown === 'joining' && <Joining {...part} />}
    </Dialog>
  );
};
