/** Chatwoot's records, and how its webhooks and answers show them (`chatwoot.contract.ts` says from where). */
import type { IncomingMessage } from 'node:http';

export const account = 1;
export const inbox = 3;

export interface PlayedContact {
  readonly id: number;
  name: string;
  phone_number: string | null;
  identifier: string | null;
}

export interface PlayedConversation {
  readonly id: number;
  readonly contact: PlayedContact;
  readonly sourceId: string;
  status: string;
}

export interface PlayedMessage {
  readonly id: number;
  readonly conversation: number;
  readonly createdAt: string;
  content: string;
  readonly message_type: string;
  readonly private: boolean;
  readonly source_id: string | null;
  content_attributes: { in_reply_to?: number; deleted?: boolean; external_error?: string };
  status: string;
  readonly files: readonly { readonly name: string; readonly type: string; readonly bytes: Buffer }[];
  /** Its files have no address, as while their storage is unreachable. */
  readonly addressless?: boolean;
  /** The name of its files as the address has it. */
  readonly encodedName?: string;
}

export const read = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
};

const fileTypeOf = (type: string): string => {
  const [kind = ''] = type.split('/');
  return ['image', 'audio', 'video'].includes(kind) ? kind : 'file';
};

/** A form as Rails reads it. */
export const formOf = async (body: Buffer, type: string) => {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  const fields = Object.fromEntries([...form].filter(([name, value]) => typeof value === 'string' && name !== ''));
  const { content_attributes: attributes, private: isPrivate, ...others } = fields as Record<string, string>;
  const files = await Promise.all(
    (form.getAll('attachments[]') as File[]).map(async (file) => ({
      name: file.name,
      type: file.type,
      bytes: Buffer.from(await file.arrayBuffer()),
    })),
  );
  const given = {
    ...others,
    ...(isPrivate === undefined ? {} : { private: isPrivate === 'true' }),
    ...(attributes === undefined ? {} : { content_attributes: JSON.parse(attributes) as object }),
  };
  return { given, files };
};

/** A conversation in webhooks and answers. */
export const conversationShape = ({ id, contact, sourceId, status }: PlayedConversation) => ({
  additional_attributes: {},
  can_reply: true,
  channel: 'Channel::Api',
  contact_inbox: { id: 1, contact_id: contact.id, inbox_id: inbox, source_id: sourceId, hmac_verified: false },
  id,
  inbox_id: inbox,
  labels: [],
  meta: { sender: { ...contact, type: 'contact' }, assignee: null, team: null, hmac_verified: false },
  status,
  custom_attributes: {},
});

/** A message in webhooks; `url` is where its files are. */
export const messageShape = (message: PlayedMessage, conversation: PlayedConversation, url: string) => {
  const { id, content, message_type, source_id, content_attributes, files } = message;
  const attachments = files.map(({ name, type, bytes }, at) => ({
    id: id * 100 + at,
    message_id: id,
    file_type: fileTypeOf(type),
    account_id: account,
    extension: null,
    ...(message.addressless === true
      ? {}
      : {
          data_url: `${url}/rails/active_storage/blobs/redirect/${id}-${at}/${message.encodedName ?? encodeURIComponent(name)}`,
        }),
    thumb_url: '',
    file_size: bytes.length,
  }));
  return {
    account: { id: account, name: 'Example' },
    additional_attributes: {},
    content_attributes,
    content_type: 'text',
    content,
    conversation: conversationShape(conversation),
    created_at: message.createdAt,
    id,
    inbox: { id: inbox, name: 'WhatsApp' },
    message_type,
    private: message.private,
    sender: { id: 1, name: 'Grace', email: 'grace@example.com', type: 'user' },
    source_id,
    ...(attachments.length > 0 && { attachments }),
  };
};
