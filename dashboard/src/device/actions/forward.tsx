/** The dialog that chooses to whom a message is forwarded. */
import { useState } from 'react';
import { useAccount } from '../../account/account.tsx';
import type { Message } from '../../api/message.ts';
import type { Device } from '../../api/types.ts';
import { addressOf, type Recipient, recipientOf } from '../../outbox/entry.ts';
import { texts } from '../../base/texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { useForm } from '../../ui/form.ts';
import { ErrorText, Field } from '../../ui/parts.tsx';
import { findRecipient, Offered, useOffered } from '../shown/contacts.tsx';
import type { Conversation } from '../shown/conversations.ts';

const words = texts.actions;

interface Props {
  readonly device: Device;
  readonly message: Message;
  readonly conversations: readonly Conversation[];
  /** Shows the conversation with the recipient. */
  readonly choose: (chat: string) => void;
  readonly close: () => void;
}

export const Forward = ({ device, message, conversations, choose, close }: Props) => {
  const { client, outbox } = useAccount();
  const [to, setTo] = useState('');
  const { id, chat, type, text } = message;
  const send = (recipient: Recipient): void => {
    const path = `${encodeURIComponent(id)}/forward?chat=${encodeURIComponent(chat)}`;
    outbox.add({ deviceId: device.id, recipient, path, type, text, body: {} });
    close();
    choose(addressOf(recipient));
  };
  const { errorOf, error, busy, submit } = useForm(['to'], async () => send(await findRecipient(client, device, to)));
  const offered = useOffered(device, to);
  return (
    <Dialog title={words.forwardTitle} close={close}>
      <ul className="choose-chat" aria-label={texts.chat.chats}>
        {conversations.map((one) => (
          <li key={one.chat}>
            <button type="button" className="quiet wide" onClick={() => send({ to: one.chat })}>
              {one.title}
            </button>
          </li>
        ))}
      </ul>
      <form className="row align-end" onSubmit={submit}>
        <Field
          label={words.forwardTo}
          hint={texts.compose.toHint}
          error={errorOf('to')}
          value={to}
          onChange={(input) => setTo(input.target.value)}
        />
        <button type="submit" className="primary" disabled={busy} aria-busy={busy}>
          {words.forward}
        </button>
      </form>
      <Offered offered={offered} take={({ address }) => send(recipientOf(address))} />
      <ErrorText error={error} />
    </Dialog>
  );
};
