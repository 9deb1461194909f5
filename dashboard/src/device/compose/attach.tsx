/** The menu of what can be added to a conversation: files, a place, a contact, a poll. */
import { type ReactNode, useRef } from 'react';
import { texts } from '../../base/texts.ts';
import { icons } from '../../ui/icons.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { ContactDialog } from './contact-dialog.tsx';
import type { Content } from './draft.ts';
import { LocationDialog } from './location-dialog.tsx';
import { PollDialog } from './poll-dialog.tsx';

const words = texts.compose;

const dialogs = { location: LocationDialog, contact: ContactDialog, poll: PollDialog } as const;
const dialogNames = ['location', 'contact', 'poll'] as const;
export type DialogName = (typeof dialogNames)[number];

const dialogIcons: Readonly<Record<DialogName, ReactNode>> = {
  location: icons.place,
  contact: icons.person,
  poll: icons.poll,
};

interface Props {
  readonly take: (files: Iterable<File>) => void;
  readonly open: (name: DialogName) => void;
  readonly disabled: boolean;
}

export const Attach = ({ take, open, disabled }: Props) => {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        className="visually-hidden"
        tabIndex={-1}
        aria-label={words.attachFiles}
        onChange={(change) => {
          take(change.target.files ?? []);
          change.target.value = '';
        }}
      />
      <Menu label={words.attach} icon={icons.plus} className="icon attach" disabled={disabled}>
        {() => (
          <>
            <MenuItem act={() => input.current?.click()} icon={icons.file}>
              {words.attachFiles}
            </MenuItem>
            {dialogNames.map((name) => (
              <MenuItem key={name} act={() => open(name)} icon={dialogIcons[name]}>
                {words[name].title}
              </MenuItem>
            ))}
          </>
        )}
      </Menu>
    </>
  );
};

interface DialogProps {
  readonly name: DialogName;
  readonly send: (content: Content) => Promise<void>;
  readonly close: () => void;
}

/** Forms, so they must not be inside the composer's form. */
export const AttachDialog = ({ name, send, close }: DialogProps) => {
  const Named = dialogs[name];
  return (
    <Named
      send={async (content) => {
        await send(content);
        close();
      }}
      close={close}
    />
  );
};
