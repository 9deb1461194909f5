/** The ticks of a message to a group, which open a list of who has received and read it. */
import { useState } from 'react';
import { useAccount, useEvents } from '../../account/account.tsx';
import type { Message } from '../../api/message.ts';
import type { Answer } from '../../api/schemas.ts';
import { fullTime } from '../../base/format.ts';
import { useLoad } from '../../api/hooks.ts';
import { texts } from '../../base/texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Ticks } from '../../ui/icons.tsx';
import { Await, TableHead } from '../../ui/parts.tsx';
import { useShown } from '../shown/shown.ts';

const words = texts.message.receipts;

const timeOf = (at: string | null): string => (at === null ? '–' : fullTime(at));

const List = ({ message: { id, chat } }: { readonly message: Message }) => {
  const { client } = useAccount();
  const { device, nameOf } = useShown();
  const path = `/v1/devices/${device.id}/messages/${encodeURIComponent(id)}/receipts?chat=${encodeURIComponent(chat)}`;
  const receipts = useLoad(async () => (await client.get<Answer<'getMessageReceipts'>>(path)).receipts, path);
  useEvents(device.id, ({ type, data }) => {
    if (type === 'message.updated' && data.messageId === id && data.chat === chat) receipts.reload();
  });
  return (
    <Await of={receipts}>
      {(all) =>
        all.length === 0 ? (
          <p>{words.none}</p>
        ) : (
          <table className="list">
            <TableHead columns={[words.person, words.delivered, words.read]} />
            <tbody>
              {all.map(({ person, deliveredAt, readAt, playedAt }) => (
                <tr key={person.jid}>
                  <th scope="row">{nameOf(person)}</th>
                  <td data-label={words.delivered}>{timeOf(deliveredAt ?? readAt)}</td>
                  <td data-label={words.read}>{timeOf(playedAt ?? readAt)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )
      }
    </Await>
  );
};

export const Receipts = ({ message }: { readonly message: Message }) => {
  const [open, setOpen] = useState(false);
  const label = texts.chat.state[message.state];
  return (
    <>
      <button type="button" className="link" title={words.title} onClick={() => setOpen(true)}>
        <Ticks state={message.state} label={label} />
      </button>
      {open && (
        <Dialog title={words.title} close={() => setOpen(false)}>
          <List message={message} />
        </Dialog>
      )}
    </>
  );
};
