/** Sends bytes as they are: contents that this version does not know, or that no app would write. */
import { proto } from 'baileys';
import type { PhoneContext } from '../context/context.ts';
import { read } from '../reading/read.ts';
import type { Shown } from '../context/view.ts';
import { addOwn, openRoute } from './deliver.ts';
import { messageId } from '../context/ids.ts';
import { post, type StanzaOverrides } from './sending.ts';

export interface RawMessage {
  /** A serialised `Message`, or anything else. */
  readonly bytes: Uint8Array;
  readonly stanza: StanzaOverrides & { readonly edit?: string | null };
}

/** Null for what cannot be read or is not shown. */
const shownOf = async (phone: PhoneContext, bytes: Uint8Array): Promise<Shown | null> => {
  try {
    const reading = await read(proto.Message.decode(bytes), phone);
    return reading.kind === 'shown' ? reading.shown : null;
  } catch {
    return null;
  }
};

/** The id. The phone itself shows the message as far as it understands it. */
export const sendRaw = async (phone: PhoneContext, to: string, { bytes, stanza }: RawMessage): Promise<string> => {
  const route = await openRoute(phone, to);
  const shown = await shownOf(phone, bytes);
  const id = messageId();
  if (shown !== null) addOwn(phone, to, id, shown);
  await post(phone, route, { id, message: bytes, edit: stanza.edit ?? null, stanza });
  phone.changed();
  return id;
};
