/** Status posts: one ciphertext under the sender key of `status@broadcast`, to every device of those who may see it. */
import { childrenOf, element } from '../../base/nodes.ts';
import type { Account } from '../../base/types.ts';
import { addressee } from '../context/address.ts';
import { type PhoneContext, serialized } from '../context/context.ts';
import { encryptForGroup } from './groups.ts';
import { messageId } from '../context/ids.ts';
import { askDevices } from '../context/requests.ts';
import { ensureSessions } from './sending.ts';

const status = 'status@broadcast';

/** Posts a text; its id. */
export const postStatus = async (phone: PhoneContext, viewers: readonly Account[], text: string): Promise<string> => {
  const lists = await askDevices(
    phone.line,
    viewers.map(({ lid }) => lid),
  );
  const all = viewers.flatMap((viewer) => (lists.get(viewer.lid) ?? []).map((number) => addressee(viewer, number)));
  const devices = await ensureSessions(phone, all);
  const message = { extendedTextMessage: { text } };
  const [first, second] = await encryptForGroup(phone, status, devices, serialized(message), {});
  const keys = second === undefined ? [] : childrenOf(first);
  const to = devices.map(({ jid }) => keys.find(({ attrs }) => attrs['jid'] === jid) ?? element('to', { jid }));
  const id = messageId();
  phone.counters.sent += 1;
  phone.changed();
  phone.line.tell({
    tag: 'message',
    attrs: { id, to: status, type: 'text' },
    content: [element('participants', {}, to), (second ?? first)!],
  });
  return id;
};
