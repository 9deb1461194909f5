/** The dialog that previews and joins a group by its link. */
import { useState } from 'react';
import { useAccount } from '../../account/account.tsx';
import type { GroupPreview } from '../../api/group.ts';
import type { Answer } from '../../api/schemas.ts';
import { texts } from '../../base/texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { useNotify } from '../../ui/notices.tsx';
import { FieldError, useForm } from '../../ui/form.ts';
import { Action, ErrorText, Field } from '../../ui/parts.tsx';
import type { GroupDialogProps } from './group-menu.tsx';

const words = texts.groups;

/** The invite code, the last part of every link. */
const codeIn = (link: string): string => link.trim().split(/[?#]/, 1).join('').split('/').filter(Boolean).at(-1) ?? '';

interface PreviewProps {
  readonly group: GroupPreview;
  readonly join: () => Promise<void>;
}

const Preview = ({ group: { subject, description, size, joinApproval }, join }: PreviewProps) => (
  <div className="stack">
    <div>
      <strong>{subject}</strong>
      {description !== null && <p className="group-description">{description}</p>}
      <p className="hint">
        {words.count(size)}
        {joinApproval && ` · ${words.needsApproval}`}
      </p>
    </div>
    <div className="row end">
      <Action className="primary" act={join}>
        {joinApproval ? words.askToJoin : words.joinNow}
      </Action>
    </div>
  </div>
);

export const JoinGroup = ({ device, choose, close }: GroupDialogProps) => {
  const { client } = useAccount();
  const notify = useNotify();
  const [link, setLink] = useState('');
  const [group, setGroup] = useState<GroupPreview | null>(null);
  const path = `/v1/devices/${device.id}`;
  const form = useForm(['invite'], async () => {
    const code = codeIn(link);
    if (code === '') throw new FieldError('invite', words.needsLink);
    const answer = await client.get<Answer<'previewInvite'>>(`${path}/invites/${encodeURIComponent(code)}`);
    setGroup(answer.group);
  });
  const join = async (): Promise<void> => {
    const joined = await client.post<Answer<'joinGroup'>>(`${path}/groups/join`, {
      invite: codeIn(link),
    });
    notify.good(joined.waits ? words.waits : words.joined);
    close();
    if (!joined.waits) choose(joined.group);
  };
  return (
    <Dialog title={words.join} close={close}>
      <form className="row align-end" onSubmit={form.submit} noValidate>
        <Field
          label={words.linkOrCode}
          error={form.errorOf('invite')}
          placeholder="https://chat.whatsapp.com/…"
          value={link}
          onChange={(input) => {
            setLink(input.target.value);
            setGroup(null);
          }}
        />
        <button type="submit">{words.look}</button>
      </form>
      <ErrorText error={form.error} />
      {group !== null && <Preview group={group} join={join} />}
    </Dialog>
  );
};
