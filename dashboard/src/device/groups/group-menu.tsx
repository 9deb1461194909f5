/** The menu above the conversations: all groups, communities, a new group, or one by its link. Its dialogs are loaded when they are opened. */
import { lazy, Suspense, useState } from 'react';
import { useMay } from '../../account/account.tsx';
import type { Device } from '../../api/types.ts';
import { texts } from '../../base/texts.ts';
import { icons } from '../../ui/icons.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import type { NameOf } from '../shown/people.ts';

const words = texts.groups;

export interface GroupDialogProps {
  readonly device: Device;
  readonly nameOf: NameOf;
  readonly choose: (chat: string) => void;
  readonly close: () => void;
}

const dialogs = {
  all: lazy(async () => ({ default: (await import('./all-groups.tsx')).AllGroups })),
  communities: lazy(async () => ({ default: (await import('./communities.tsx')).Communities })),
  create: lazy(async () => ({ default: (await import('./new-group.tsx')).NewGroup })),
  join: lazy(async () => ({ default: (await import('./join-group.tsx')).JoinGroup })),
};

export const GroupMenu = ({ device, nameOf, choose }: Omit<GroupDialogProps, 'close'>) => {
  const [dialog, open] = useState<keyof typeof dialogs | null>(null);
  const Opened = dialog === null ? null : dialogs[dialog];
  const may = useMay();
  const canChange = device.status === 'connected' && may('manage');
  return (
    <>
      <Menu label={words.menu} className="icon" icon={icons.group}>
        {() => (
          <>
            <MenuItem icon={icons.group} act={() => open('all')}>
              {words.all}
            </MenuItem>
            <MenuItem icon={icons.group} act={() => open('communities')}>
              {words.communities.title}
            </MenuItem>
            {canChange && (
              <MenuItem icon={icons.plus} act={() => open('create')}>
                {words.create}
              </MenuItem>
            )}
            {canChange && (
              <MenuItem icon={icons.forward} act={() => open('join')}>
                {words.join}
              </MenuItem>
            )}
          </>
        )}
      </Menu>
      {Opened !== null && (
        <Suspense>
          <Opened device={device} nameOf={nameOf} choose={choose} close={() => open(null)} />
        </Suspense>
      )}
    </>
  );
};
